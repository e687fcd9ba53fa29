// What fails in a container without each right that the compose file grants: real visits over HTTP/2 and HTTP/3, with and without a
// shaped link, in containers that lack one right each.
// Usage: node bench/containers/capabilities.ts [runner|origin] [NAME…]; with names, only what lacks these.
import { docker } from '../../docker/e2e/engine.ts';
import type { CampaignLogLine, Runner, Visit } from '../../packages/core/src/schemas/index.ts';
import { metricOf } from '../../packages/core/src/vocabulary/index.ts';
import { chromeUid, Stack, shop, within } from './stack.ts';

const patienceMs = 90_000;
const capabilities = {
  runner: ['NET_ADMIN', 'NET_RAW', 'SYS_ADMIN', 'SYS_NICE', 'SETUID', 'SETGID', 'SETPCAP', 'CHOWN', 'DAC_OVERRIDE', 'KILL'],
  origin: ['NET_ADMIN', 'SETUID', 'SETGID', 'SETPCAP'],
};
const options: Record<string, string> = {
  'seccomp profile': 'security_opt: !override [no-new-privileges, apparmor=unconfined]',
  'no-new-privileges': 'security_opt: !override [seccomp=docker/seccomp.json, apparmor=unconfined]',
  '/tmp exec': 'tmpfs: !override ["/tmp:size=1g", /data]',
  'shm size': 'shm_size: 64m',
};

const [service = 'runner', ...names] = process.argv.slice(2);
if (service !== 'runner' && service !== 'origin')
  throw new Error(`${service} is no service of this benchmark: runner or origin is expected.`);
const without = (capability: string) => `cap_add: !override [${capabilities[service].filter((other) => other !== capability)}]`;
const changes = new Map<string, string>([
  ['nothing', ''],
  ...capabilities[service].map((capability) => [capability, without(capability)] as const),
  ...(service === 'runner' ? Object.entries(options) : []),
]);
const wrong = names.filter((name) => !changes.has(name));
if (wrong.length > 0) throw new Error(`${wrong.join(', ')}: expected of ${[...changes.keys()].join(', ')}.`);

await using stack = await Stack.up();
for (const [name, change] of changes) {
  if (names.length > 0 && !names.includes(name)) continue;
  stack.change(change && `services:\n  ${service}:\n    ${change}\n`);
  console.log(`\n== ${service} without ${name}`);
  for (const line of await tried(service)) console.log(`   ${line}`);
  stack.change();
}

/** What came of visits in a container that was made anew. */
async function tried(service: string): Promise<string[]> {
  await stack.compose('up', '--detach', '--force-recreate', '--no-deps', '--timeout', '30', service).catch(() => {});
  const container = await stack.container(service);
  const found: string[] = [];
  const { stdout: host } = await docker([
    'inspect',
    '--format',
    '{{.Config.Hostname}}',
    service === 'runner' ? container : await stack.container('runner'),
  ]);
  const ready = async () => {
    if (service === 'origin')
      return (await docker(['inspect', '--format', '{{.State.Health.Status}}', container])).stdout.trim() === 'healthy';
    return (await stack.outside.all<Runner>('/runners')).some(({ name, state }) => name === host.trim() && state === 'alive');
  };
  if (!(await within(30_000, ready))) found.push('does not get ready in 30 s', ...(await words(container)));
  else {
    if (service === 'origin') await stack.compose('restart', '--timeout', '30', 'runner');
    const whatever = { sites: [{ url: shop }], protocols: ['h2', 'h3'], limits: { foreignCpuShare: 1 }, rounds: 1 };
    for (const wanted of [{ conditions: ['native', 'latency-50'] }, { conditions: ['native'], isolation: 'process' }]) {
      const came = await stack.campaign({ ...whatever, ...wanted }, patienceMs);
      found.push(...outcomes(came));
      if (!came.done) break;
    }
    found.push(...(await left(container)), ...(await words(container)));
  }
  const began = performance.now();
  await docker(['stop', '--time', '30', container]);
  const { stdout } = await docker(['inspect', '--format', '{{.State.ExitCode}}', container]);
  found.push(`stopped in ${((performance.now() - began) / 1_000).toFixed(1)} s with ${stdout.trim()}`);
  return found;
}

function outcomes({ visits, log, done }: { visits: Visit[]; log: CampaignLogLine[]; done: boolean }): string[] {
  const shown = visits.map(({ condition, protocol, outcome }) => {
    const what =
      outcome.verdict === 'valid'
        ? `${Math.round(metricOf(outcome.metrics, 'onLoad') ?? Number.NaN)} ms`
        : `${outcome.reason}: ${outcome.detail}`;
    return `${condition} ${protocol}: ${what}`;
  });
  const warnings = log.filter(({ level }) => level === 'warn').map(({ text }) => text);
  return [...new Set([...shown, ...(done ? [] : [`not done in ${patienceMs / 1_000} s`]), ...warnings])];
}

/** Processes of Chrome's user, profiles, and how the link's guest is scheduled, in a container with nothing to do. */
async function left(container: string): Promise<string[]> {
  const { stdout } = await docker([
    ...['exec', container, 'sh', '-c'],
    `echo "Chrome's: $(grep -l '^Uid:.${chromeUid}' /proc/[0-9]*/status 2> /dev/null | wc -l) processes, $(ls -d /tmp/pronghorn-*/*/chrome-* 2> /dev/null | wc -l) profiles"
     echo "dead and not waited for: $(grep -l '^State:.Z' /proc/[0-9]*/status 2> /dev/null | wc -l)"`,
  ]).catch((error: Error) => ({ stdout: error.message }));
  return stdout.trim().split('\n');
}

/** The last words of a container, each once. */
async function words(container: string): Promise<string[]> {
  const { stdout, stderr } = await docker(['logs', '--tail', '12', container]);
  const lines = `${stdout}${stderr}`.split('\n').map((line) => line.replace(/^\S+T\S+Z /, '').trim());
  return [...new Set(lines.filter((line) => line !== '' && !/^(Registered|https:)/.test(line)))].map((line) => `says: ${line}`);
}
