import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { answersAsDocumented, skip } from '../fuzzing.ts';

const timeout = 3_600_000;

test(
  'every route answers as documented to who has a token, and nothing to who has none or a wrong one',
  { ...proves('service', 'access', 'hostile'), skip, timeout },
  (t) => answersAsDocumented(t, { ids: true, all: true, kind: 'tokens' }),
);

for (const ids of [true, false])
  test(
    `every route answers as documented, with ${ids ? 'what is there' : 'made-up names'}, without tokens`,
    { ...proves('service', 'hostile'), skip, timeout },
    (t) => answersAsDocumented(t, { ids, all: true, kind: 'open' }),
  );
