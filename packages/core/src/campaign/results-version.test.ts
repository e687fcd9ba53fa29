import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goldenDocuments, goldenKinds, readGolden } from '../../fixtures/golden.ts';
import { resultsVersion } from './results-version.ts';

for (const kind of goldenKinds) {
  test(`what is made of the golden campaign of ${kind} is as before, or has another version`, () => {
    const golden = readGolden(kind);
    const then = 'raise resultsVersion where this is meant, then run: node packages/core/fixtures/golden.ts';
    assert.equal(golden.resultsVersion, resultsVersion, `golden/${kind}.json is of another version; ${then}`);
    const documents = goldenDocuments(kind);
    assert.deepEqual(Object.keys(documents), Object.keys(golden.documents));
    for (const [name, document] of Object.entries(documents)) {
      assert.deepEqual(document, golden.documents[name], `the ${name} of the golden campaign changed; ${then}`);
    }
  });
}
