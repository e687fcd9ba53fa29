// Verdicts on pages that try to make them err. More of them: `./pronghorn ground-truth --tricks`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { runOnSoundLink } from './command.ts';

test('a winner is the protocol’s, not the clock’s or an error’s', proves('verdicts', 'ground-truth'), async (t) => {
  const { code, stdout, stderr } = await runOnSoundLink(
    t,
    (data) => ['ground-truth', '--tricks', 'short', '--rounds', '7', '--busy', '1', '--data', data],
    {},
  );
  assert.equal(code, 0, stdout + stderr);
  // What the timer shows is most of the picture, and comes as late over both.
  assert.match(stdout, /application +timer +real +✓ .*\n +onLoad +HTTP\/3 faster/);
  assert.match(stdout, /application +403 +same +✓ .*failed over HTTP\/3 in 7 rounds/);
});
