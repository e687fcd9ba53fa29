// How many bytes of a response were headers and body, by Chrome’s totals and by the server’s log.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readAccessLog } from '@pronghorn/origin';
import { type Laboratory, openLaboratory } from './laboratory.ts';

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory();
});
after(() => laboratory.close());

/** Of a frame of HTTP/2. */
const frameHeader = 9;

for (const protocol of ['h1', 'h2', 'h3'] as const) {
  test(`over ${protocol} bodies have the length that nginx wrote into its log, and headers the rest of what it sent`, async () => {
    const { origin } = laboratory;
    let [objects, apart] = [0, 0];
    for (const { url } of origin.sites.filter(({ name }) => ['article', 'shop', 'scripts'].includes(name))) {
      const from = (await readAccessLog(origin.accessLog)).length;
      const { visit } = await laboratory.visit(url, protocol);
      assert.equal(visit.outcome.verdict, 'valid', JSON.stringify(visit.outcome));
      const logged = (await readAccessLog(origin.accessLog)).slice(from);
      for (const { url: of, host, headerBytes = null, encodedBodyBytes } of visit.resources) {
        const { pathname, search } = new URL(of);
        const entry = logged.findLast((one) => one.host === host && one.uri === pathname + search);
        assert.ok(entry?.bytes, `the log has ${of}`);
        assert.equal(encodedBodyBytes, entry.bodyBytes, of);
        objects += 1;
        if (headerBytes === null) continue;
        apart += 1;
        const frames = entry.bytes - entry.bodyBytes - headerBytes;
        if (protocol === 'h2') assert.ok(frames > 0 && frames % frameHeader === 0, `${of}: ${frames} bytes besides headers and body`);
        else if (protocol === 'h1') assert.equal(frames, 0, of);
        // On a busy machine nginx sends a body in more than one DATA frame: a header has 2 to 5 bytes (RFC 9114, section 7.1).
        else assert.ok(frames === 0 || (frames >= 2 && frames <= 20), `${of}: ${frames} bytes besides headers and body`);
      }
    }
    // Over h2 some of a body often comes with its headers.
    assert.ok(protocol === 'h2' ? apart > 0 : apart === objects, `headers of ${apart} of ${objects} objects`);
  });
}
