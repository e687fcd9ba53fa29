// onLoad of three of the demo's pages inside a fence, beside onLoad without one, in turn and without a link.
// Takes 4 minutes, as root. node bench link/fence [ROUNDS, default 15]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostAddresses, startOrigin } from '../../nginx/src/index.ts';
import { median } from '../../packages/core/src/math/index.ts';
import { defaultLimits } from '../../packages/core/src/schemas/index.ts';
import type { Protocol } from '../../packages/core/src/vocabulary/index.ts';
import { onMachine } from '../../packages/runner/e2e/egress-bench.ts';
import { deriveResources } from '../../packages/runner/src/derive/resources.ts';
import type { DemoOrigin } from '../../packages/runner/src/engines/engine.ts';
import { allEngines } from '../../packages/runner/src/engines/engines.ts';
import { openLink } from '../../packages/runner/src/link/link.ts';
import { originNetwork } from '../../packages/runner/src/link/net/addresses.ts';
import { run } from '../../packages/runner/src/machine/run.ts';

const rounds = Number(process.argv[2] ?? 15);

// A fence blocks loopback's own addresses.
if (process.env.PRONGHORN_TEST_MACHINE === '1') await measure();
else await onMachine(import.meta.filename, 'bench', () => {}, process.argv.slice(2));

async function measure(): Promise<void> {
  const place = { enter: [], ...originNetwork };
  const addresses = hostAddresses(place);
  await run(['ip', 'link', 'set', 'lo', 'up']);
  // And the one by which origins of a machine claim their port.
  for (const address of [...addresses, `${originNetwork.addressPrefix}10`])
    await run(['ip', 'address', 'add', address, 'dev', 'lo', ...(address.includes(':') ? ['nodad'] : [])]);
  const directory = mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
  const origin = await startOrigin({ directory, place });
  const lab: DemoOrigin = { trust: origin.trust, serves: (name) => name.endsWith('.pronghorn.test'), settings: {} };
  const links = {
    unfenced: await openLink({ choice: 'direct', conditions: [], outside: false }),
    fenced: await openLink({ choice: 'direct', conditions: [], outside: false, allowNet: addresses, fencing: 'fenced' }),
  };
  const kinds = ['unfenced', 'fenced'] as const;
  const engines = { unfenced: allEngines(lab, links.unfenced.vantagePoint), fenced: allEngines(lab, links.fenced.vantagePoint) };
  for (const { name, url, hosts } of origin.sites.filter((site) => ['article', 'shop', 'sharded'].includes(site.name))) {
    const forced = hosts.filter(({ protocols }) => protocols.includes('h3')).map(({ host }) => host);
    for (const protocol of ['h2', 'h3'] satisfies Protocol[]) {
      const found = { unfenced: [] as number[], fenced: [] as number[] };
      let requests = 0;
      // The first visit of each is also the first one of its Chrome.
      for (let round = -1; round < rounds; round++) {
        for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
          const { evidence } = await engines[kind].load({
            ...{ url, protocol, discovery: 'forced', forced, view: 'cold', isolation: 'context', browser: 'chrome' },
            limits: defaultLimits,
          });
          const onLoad = evidence.page?.navigation?.loadEventStart;
          if (onLoad === undefined) throw new Error(`${url} over ${protocol}: ${JSON.stringify(evidence.end)}`);
          requests = deriveResources(evidence).length;
          if (round >= 0) found[kind].push(onLoad);
        }
      }
      const [without, fenced] = [median(found.unfenced), median(found.fenced)];
      console.log(
        `${name} (${requests} requests) ${protocol}: ${without.toFixed(1)} ms, fenced ${fenced.toFixed(1)} ms, ratio ${(fenced / without).toFixed(3)}`,
      );
    }
  }
  for (const kind of kinds) {
    await engines[kind].close();
    await links[kind].close();
  }
  await origin.stop();
  rmSync(directory, { recursive: true, force: true });
}
