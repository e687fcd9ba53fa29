import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HarFault, HarTally } from './har-tally.ts';

const entry = (url: string, given: { status?: number; headers?: [string, string][]; at?: string; [field: string]: unknown } = {}) => {
  const { status = 200, headers = [['Date', 'today']], at = '2020-12-05T10:00:00.000Z', ...more } = given;
  return {
    pageref: 'page_1',
    startedDateTime: at,
    request: { method: 'GET', url },
    response: { status, headers: headers.map(([name, value]) => ({ name, value })) },
    ...more,
  };
};

test('hosts are counted by what they say, and the main document by the first answer that is no redirect', () => {
  const tally = new HarTally();
  tally.setCreator({ name: 'WebPagetest', version: '20.10' });
  tally.addPage({ id: 'page_1', startedDateTime: '2020-12-05T10:00:00.000Z' });
  tally.addEntry(entry('http://a.example/', { status: 301, headers: [['Server', 'cloudflare']] }));
  tally.addEntry(
    entry('https://a.example/', {
      at: '2020-12-05T10:00:00.200Z',
      headers: [
        ['alt-svc', 'h3-29=":443"'],
        ['Alt-Svc', 'h3-27=":443"'],
        ['SERVER', 'cloudflare'],
      ],
    }),
  );
  tally.addEntry(entry('https://fonts.gstatic.com/x', { at: '2020-12-05T10:00:00.300Z', headers: [['alt-svc', 'quic=":443"; v="46"']] }));
  tally.addEntry(entry('data:text/plain,x'));
  tally.addEntry(entry('https://gone.example/', { status: 0 }));
  assert.deepEqual([tally.pages, tally.requests, tally.creator], [1, 5, 'WebPagetest 20.10']);
  assert.deepEqual(
    [...tally.answers()].map(({ month, host, server, versions, provider, documents }) => [
      month,
      host,
      server,
      versions,
      provider,
      documents,
    ]),
    [
      ['2020-12', 'a.example', 'cloudflare', [], 'Cloudflare', 0],
      ['2020-12', 'a.example', 'cloudflare', ['h3-27', 'h3-29'], 'Cloudflare', 1],
      ['2020-12', 'fonts.gstatic.com', '', ['quic-46'], 'Google', 0],
    ],
  );
});

test('what WebPageTest marks as the base page is the main document', () => {
  const tally = new HarTally();
  tally.addEntry(entry('https://first.example/'));
  tally.addEntry(entry('https://real.example/', { _final_base_page: true, at: '2020-12-05T10:00:05.000Z' }));
  tally.addEntry(entry('https://later.example/', { at: '2020-12-05T09:00:00.000Z' }));
  assert.deepEqual(
    [...tally.answers()].filter(({ documents }) => documents > 0).map(({ host }) => host),
    ['real.example'],
  );
});

test('an entry without a time has its page’s, and one without either is a fault that names it', () => {
  const tally = new HarTally();
  tally.addPage({ id: 'page_1', startedDateTime: '2021-02-01T00:00:00Z' });
  tally.addEntry({ ...entry('https://a.example/'), startedDateTime: undefined });
  tally.addEntry({ ...entry('https://a.example/'), startedDateTime: '' });
  assert.equal([...tally.answers()][0]?.month, '2021-02');
  const fault = (bad: unknown, words: RegExp) =>
    assert.throws(
      () => new HarTally().addEntry(bad),
      (error: Error) => error instanceof HarFault && words.test(error.message),
    );
  fault(
    { ...entry('https://a.example/'), startedDateTime: 'yesterday' },
    /entry 0 \(https:\/\/a\.example\/\) has startedDateTime "yesterday"; expected a time/,
  );
  fault({ ...entry('https://a.example/'), startedDateTime: '+275760-01-01T00:00:00Z' }, /between 1990 and 2100/);
  fault({ request: {} }, /has no request\.url/);
  fault(null, /has no request\.url/);
});

test('fields of wrong types are taken as not known', () => {
  const tally = new HarTally();
  tally.setCreator(7);
  tally.addPage('page');
  tally.addEntry({ ...entry('https://a.example/'), pageref: {}, response: { status: 200, headers: { server: 'x' } }, serverIPAddress: 4 });
  tally.addEntry({ ...entry('https://b.example/'), response: { status: '200' } });
  tally.addEntry({
    ...entry('https://c.example/'),
    response: { status: 200, headers: [null, 7, { name: 'Server' }, { name: 'alt-svc', value: 9 }] },
  });
  assert.deepEqual(
    [...tally.answers()].map(({ host, server, versions }) => [host, server, versions]),
    [['c.example', '', []]],
  );
  assert.deepEqual(tally.leftOut, { 'no-headers': 2 });
});

test('what is not known is no answer: without headers, from a cache, without a status, of no page', () => {
  const tally = new HarTally();
  const altSvc: [string, string][] = [['Alt-Svc', 'h3=":443"']];
  for (const given of [
    { headers: [] },
    { status: 304 },
    { _fromCache: 'disk' },
    { _fromCache: 'memory' },
    { status: 0 },
    { response: { status: '-', headers: [] } },
    { response: { headers: [] } },
  ])
    tally.addEntry(entry('https://unknown.example/', given));
  tally.addEntry(entry('https://cached.example/', { headers: altSvc, _fromCache: 'disk' }));
  tally.addEntry({ ...entry('https://text.example/'), response: { status: '200', headers: [{ name: 'Alt-Svc', value: 'h3=":443"' }] } });
  tally.addEntry(entry('https://withdrawn.example/', { headers: [['Alt-Svc', 'h3=":443"; ma=0, h3-29=":443"; ma=0']] }));
  const answers = [...tally.answers()].map(({ host, versions }) => [host, versions]);
  assert.deepEqual(answers, [
    ['cached.example', ['h3']],
    ['text.example', ['h3']],
    ['withdrawn.example', []],
  ]);
  assert.deepEqual(tally.leftOut, { 'no-headers': 1, cached: 3, 'no-answer': 3 });
});

test('a page whose document is not known counts for no site, not for that of its next answer', () => {
  for (const unknown of [{ headers: [] }, { status: 304 }, { _fromCache: 'disk' }]) {
    const tally = new HarTally();
    tally.addEntry(entry('https://site.example/', unknown));
    tally.addEntry(entry('https://cdn.example/a.js', { at: '2020-12-05T10:00:01.000Z' }));
    assert.deepEqual(
      [...tally.answers()].map(({ host, documents }) => [host, documents]),
      [['cdn.example', 0]],
    );
  }
});

test('a file without pages tells which hosts answered, not which are sites; one of one page does', () => {
  const documents = (pages: number) => {
    const tally = new HarTally();
    for (let n = 0; n < pages; n++) tally.addPage({ id: `p${n}`, startedDateTime: '2020-12-05T10:00:00Z' });
    for (const host of ['a', 'b', 'c']) tally.addEntry({ ...entry(`https://${host}.example/`), pageref: undefined });
    const counts = [...tally.answers()].map((answer) => answer.documents);
    return [counts, tally.leftOut];
  };
  assert.deepEqual(documents(0), [[0, 0, 0], { 'no-page': 3 }]);
  assert.deepEqual(documents(1), [[1, 0, 0], {}]);
  assert.deepEqual(documents(2), [[0, 0, 0], { 'no-page': 3 }]);
});

test('what a HAR can make a service keep is bounded, and the words say by what', () => {
  const fault = (words: RegExp, feed: (tally: HarTally) => void) =>
    assert.throws(
      () => feed(new HarTally()),
      (error: Error) => error instanceof HarFault && words.test(error.message),
    );
  fault(/^entry 0 \(https:\/\/x+.*\) has a host of 1000008 characters; expected at most 260$/, (tally) =>
    tally.addEntry(entry(`https://${'x'.repeat(1_000_000)}.example/`)),
  );
  const altSvc = Array.from({ length: 1_000 }, (_, place) => `h3-${10 + place}=":1"`).join();
  fault(/^it has more than 200000 different answers of hosts; expected at most 200000\. Send it in parts$/, (tally) => {
    for (let n = 0; n <= 200_000; n++) tally.addEntry(entry(`https://h${n}.example/`));
  });
  fault(/^it has more than \d{4,5} different answers of hosts/, (tally) => {
    for (let n = 0; n <= 100_000; n++) tally.addEntry(entry(`https://h${n}.example/`, { headers: [['alt-svc', altSvc]] }));
  });
  fault(/^it has more than 200000 pages/, (tally) => {
    for (let n = 0; n <= 200_000; n++) tally.addPage({ id: `page_${n}`, startedDateTime: '2020-12-05T10:00:00.000Z' });
  });
  fault(/^it has more than 200000 pages/, (tally) => {
    for (let n = 0; n <= 200_000; n++) tally.addEntry(entry('https://a.example/', { pageref: `page_${n}` }));
  });
});
