// The demo origin as a service, as its container starts it: serves until it is stopped, and writes down what runners on
// its network need to reach and trust it. `PRONGHORN_ORIGIN_PREFIX` is what its addresses begin with, `PRONGHORN_ORIGIN_STATE` its folder,
// `PRONGHORN_LAB` the file that runners are given by `--lab`.
import { rename, rm, writeFile } from 'node:fs/promises';
import { domain } from './hosts/hosts.ts';
import { hostAddresses } from './hosts/place.ts';
import { startOrigin } from './origin.ts';

const place = { enter: [], addressPrefix: setting('PRONGHORN_ORIGIN_PREFIX') };
const lab = setting('PRONGHORN_LAB');
// An earlier origin's file may name a key that is gone.
await rm(lab, { force: true });
const ended = new Promise((resolve) => {
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, resolve);
});
const origin = await startOrigin({ directory: setting('PRONGHORN_ORIGIN_STATE'), place });
const { spki, hostRules, ca } = origin.trust;
// Whole or not at all: runners may be looking.
await writeFile(
  `${lab}.new`,
  JSON.stringify({ domain, addresses: hostAddresses(place), trust: { spki, hostRules, ca }, settings: origin.settings }),
);
await rename(`${lab}.new`, lab);
for (const { url } of origin.sites) console.log(url);
// Signals alone keep no process alive.
const awake = setInterval(() => {}, 2 ** 30);
await ended;
clearInterval(awake);
await origin.stop();

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; nginx/src/stand.ts says what it is for.`);
  return value;
}
