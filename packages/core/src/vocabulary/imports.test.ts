import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** The modules that loading an entry of core loads, in a process of its own. */
function loadedBy(entry: string): string[] {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    await import(${JSON.stringify(new URL(entry, import.meta.url).href)});
    console.log(JSON.stringify(loaded));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }));
}

for (const room of ['vocabulary', 'text'])
  test(`${room} loads no schema, no TypeBox and no mathematics, so that the dashboard can import it at no cost`, () => {
    const loaded = loadedBy(`../${room}/index.ts`);
    assert.ok(loaded.length > 5);
    assert.deepEqual(
      loaded.filter((url) => /\/node_modules\/|\/src\/(schemas|math|verdict|campaign|visitor)\//.test(url)),
      [],
    );
  });

test('the answer of a campaign loads neither schemas nor TypeBox nor statistics, so that the dashboard can import it', () => {
  // Why a page could not be loaded is a count of its visits and a phrase.
  assert.deepEqual(
    loadedBy('../campaign/answer/index.ts').filter((url) => /typebox|\/src\/(schemas|verdict(?!\/unmeasured)|visitor)\//.test(url)),
    [],
  );
});
