// node bench/transaction/handshake.ts [ROUNDS]: whether a page campaign and a campaign of REST calls agree on the handshake, of one host of the demo's origin
// behind the link: as Chrome has it of the page's first connection, and as the client of REST calls has it. TCP and TLS 1.3 take two round trips, QUIC one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../../packages/core/src/math/index.ts';
import type { Visit } from '../../packages/core/src/schemas/index.ts';
import { metricOf, protocols } from '../../packages/core/src/vocabulary/index.ts';

const rounds = process.argv[2] ?? '10';
const roundTrips = { 'latency-50': 50, 'latency-100': 100, 'latency-200': 200 };
const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-handshake-'));

/** Performs a campaign on one host. @returns its visits, and what it wrote into `har` */
function campaign(name: string, ...more: string[]): { visits: Visit[]; har: string } {
  const [json, har] = [join(folder, `${name}.json`), join(folder, `${name}-har`)];
  const what = ['--sites', 'article', '--conditions', Object.keys(roundTrips).join(), '--protocols', protocols.join(), '--rounds', rounds];
  execFileSync(
    join(import.meta.dirname, '../../pronghorn'),
    ['demo', ...what, '--data', join(folder, name), '--json', json, '--har', har, ...more],
    {
      env: { ...process.env, CI: 'true' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  return { visits: JSON.parse(readFileSync(json, 'utf8')).visits, har };
}

try {
  const page = campaign('page');
  const calls = campaign('calls', '--engine', 'transaction', '--view', 'cold', '--users', '5', '--requests', '2');
  const files = readdirSync(page.har);
  const ofPage = ({ id }: Visit): number => {
    const har = files.find((name) => name.endsWith(`${id.slice(0, 8)}.har`)) ?? '';
    return JSON.parse(readFileSync(join(page.har, har), 'utf8')).log.entries[0].timings.connect;
  };
  const ofCalls = ({ outcome }: Visit) => (outcome.verdict === 'valid' ? metricOf(outcome.metrics, 'handshake') : null) ?? Number.NaN;
  console.log('handshake, ms (round trips)    visits  page, Chrome     REST calls');
  for (const [condition, rtt] of Object.entries(roundTrips))
    for (const protocol of protocols) {
      const handshakes = ({ visits }: { visits: Visit[] }, of: (visit: Visit) => number) =>
        visits.filter((one) => one.condition === condition && one.protocol === protocol && one.outcome.verdict === 'valid').map(of);
      const sides = [handshakes(page, ofPage), handshakes(calls, ofCalls)];
      const counts = sides.map(({ length }) => length).join(' and ');
      const words = sides.map((values) => `${median(values).toFixed(1)} (${(median(values) / rtt).toFixed(2)})`.padStart(15));
      console.log(`${condition.padEnd(12)} ${protocol}    ${counts.padStart(16)} ${words.join(' ')}`);
    }
} finally {
  rmSync(folder, { recursive: true });
}
