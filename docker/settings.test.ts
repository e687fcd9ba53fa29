// .env.example shows what the compose file takes where nothing is set: who uncomments a line changes nothing yet.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const lines = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').split('\n');

test('.env.example has each setting of the compose file, with its default', () => {
  const shown = new Set(lines('.env.example').filter((line) => /^#PRONGHORN_\w+=/.test(line)));
  const taken = lines('docker-compose.yml').flatMap((line) => [...line.matchAll(/\$\{(PRONGHORN_\w+):-([^}]*)\}/g)]);
  assert.deepEqual([...shown].sort(), [...new Set(taken.map(([, name, value]) => `#${name}=${value}`))].sort());
});
