import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { answersAsDocumented, skip } from './fuzzing.ts';

test(
  'routes that take bodies answer as documented to who has a token, and nothing to who has none or a wrong one',
  { ...proves('service', 'access', 'hostile'), skip },
  (t) => answersAsDocumented(t, { ids: true, all: false, kind: 'tokens' }),
);
