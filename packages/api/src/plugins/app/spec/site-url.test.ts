import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSiteName, parseSiteUrl } from './site-url.ts';

for (const [given, url, name] of [
  ['https://site.example', 'https://site.example/', 'site.example'],
  ['HTTPS://Site.Example:443/a/../b?q=1#part', 'https://site.example/b?q=1', 'site.example/b?q=1'],
  [' https://site.example/ ', 'https://site.example/', 'site.example'],
  ['https://bücher.example/straße', 'https://xn--bcher-kva.example/stra%C3%9Fe', 'bücher.example/stra%C3%9Fe'],
  ['https://例え.テスト/', 'https://xn--r8jz45g.xn--zckzah/', '例え.テスト'],
  ['https://127.0.0.1:8443/', 'https://127.0.0.1:8443/', '127.0.0.1:8443'],
  ['https://[::1]:8443/x', 'https://[::1]:8443/x', '[::1]:8443/x'],
  ['http://localhost/', 'http://localhost/', 'localhost'],
  ['https://site.example./', 'https://site.example./', 'site.example.'],
] as const) {
  test(`${given} is ${url}, named ${name}`, () => {
    assert.equal(parseSiteUrl(given).href, url);
    assert.equal(defaultSiteName(parseSiteUrl(given)), name);
  });
}

for (const [given, message] of [
  ['site.example', '"site.example" is not a URL; expected one such as https://site.example/.'],
  ['not a url', '"not a url" is not a URL; expected one such as https://example.com/.'],
  ['//site.example/x', '"//site.example/x" is not a URL; expected one such as https://site.example/x.'],
  ['https://', '"https://" is not a URL; expected one such as https://example.com/.'],
  ['https://site.example:99999/', '"https://site.example:99999/" is not a URL'],
  ['https://a b.example/', '"https://a b.example/" is not a URL'],
  ['ftp://site.example/', '"ftp://site.example/" has the scheme ftp; expected https or http.'],
  ['file:///etc/passwd', '"file:///etc/passwd" has the scheme file; expected https or http.'],
  ['javascript:alert(1)', '"javascript:alert(1)" has the scheme javascript; expected https or http'],
  ['localhost:8443', '"localhost:8443" has the scheme localhost; expected https or http, such as https://localhost:8443/.'],
  ['https://user:secret@site.example/', 'The URL of site.example has credentials in it'],
  ['https://user@site.example/', 'The URL of site.example has credentials in it'],
  ['https://site.example:0/', 'has port 0; expected one between 1 and 65535'],
  ['https://a..b.example/', '"a..b.example" is no host name'],
  [`https://${'a'.repeat(64)}.example/`, 'is no host name; expected labels of 1 to 63 characters'],
  [`https://${'abc.'.repeat(70)}example/`, 'is no host name'],
] as const) {
  test(`${given.slice(0, 40)} is refused, and the message says why`, () => {
    assert.throws(
      () => parseSiteUrl(given),
      (error: Error) => error.message.includes(message) && !error.message.includes('secret'),
    );
  });
}
