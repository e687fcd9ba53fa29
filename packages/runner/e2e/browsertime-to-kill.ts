// A visit by browsertime in a separate process, for the test that kills it: loads the page of its first argument, which never ends.
import { defaultLimits } from '@pronghorn/core/schemas';
import type { OriginTrust } from '../src/chrome/flags.ts';
import { browsertimeEngine } from '../src/engines/browsertime.ts';
import { openLink } from '../src/link/link.ts';

const [url = '', trust = ''] = process.argv.slice(2);
const link = await openLink({ choice: 'direct', conditions: [], outside: false });
const engine = browsertimeEngine({ trust: JSON.parse(trust) as OriginTrust, serves: () => true, settings: {} }, link.vantagePoint);
await engine.load({
  ...{ url, protocol: 'h2', discovery: 'forced', forced: [], view: 'cold', isolation: 'process', browser: 'chrome' },
  limits: { ...defaultLimits, loadTimeoutMs: 60_000 },
});
