// What Pronghorn can do, for the tests to name (proves.ts); the commands are those of the README. docs/tests.md has the table of them with their tests.

/** A capability, with the commands of the README's table by which it is used. */
export interface Capability {
  readonly says: string;
  readonly commands?: readonly string[];
}

export const capabilities = {
  // Visits
  protocols: { says: 'Chrome loads a page over HTTP/1.1, HTTP/2 and HTTP/3, and each load proves its protocol', commands: ['measure'] },
  discovery: { says: 'A discovery visit finds the hosts of a page that answer over HTTP/3, and only those are forced' },
  'alt-svc': { says: 'A first visit finds HTTP/3 by Alt-Svc or an HTTPS record' },
  'cold-and-warm': { says: 'Cold keeps nothing; warm is the repeat view' },
  journeys: { says: 'A page after other pages, and the steps of a visitor: logins, consent' },
  visitors: { says: 'Phones, headers, cookies, credentials, staging hosts and certificates of a visitor' },
  'invalid-visits': { says: 'A load that did not do what it claims is an invalid visit with a reason, never a number' },
  'production-pages': { says: 'What pages, walls and networks do in production, and how it is handled' },
  metrics: { says: 'onLoad, SpeedIndex and the other metrics are derived from evidence' },
  evidence: { says: 'Frames and logs of a visit are kept and shown' },
  isolation: { says: 'Visits run apart from each other: contexts, own Chromes, containers' },
  // Networks
  conditions: { says: 'Known network conditions, sets of them, and your own', commands: ['conditions'] },
  link: { says: 'A link delays, loses and limits what its condition says, in each direction' },
  'link-check': { says: 'A link is measured, and one that misses its condition is rebuilt', commands: ['link check'] },
  fence: { says: 'A visit reaches only what it may' },
  // Trust
  verdicts: { says: 'A winner is named by a paired test, corrected for all comparisons, and else the reason is' },
  calibrate: { says: 'Protocols against themselves: false winners and the smallest detectable difference', commands: ['calibrate'] },
  'ground-truth': { says: 'The error of the measurement on pages with known onLoad and SpeedIndex', commands: ['ground-truth'] },
  engines: { says: 'Other browsers and drivers: browsertime and Firefox' },
  crosscheck: { says: 'Whether three engines agree on a page', commands: ['crosscheck'] },
  netlog: { says: "A page in Chrome's network log", commands: ['netlog'] },
  // Pages that are here
  demo: { says: 'A page of a local origin, whose log is a second witness', commands: ['demo'] },
  servers: { says: 'nginx and Caddy serve over HTTP/1.1, HTTP/2 and HTTP/3' },
  'local-pages': { says: 'A folder or a server on this machine is measured before it is deployed' },
  // Campaigns
  campaigns: { says: 'Measurements are saved as they are made, and a stopped campaign goes on', commands: ['resume'] },
  results: { says: 'A result is shown, and exported as JSON, CSV and HAR', commands: ['results'] },
  studies: { says: 'A published study on your list of sites, with its report', commands: ['campaign'] },
  'until-settled': { says: 'Rounds are added until the answer is settled' },
  // REST calls
  'rest-calls': {
    says: 'REST calls over HTTP/1.1, HTTP/2 and HTTP/3: scenarios and factorial studies',
    commands: ['scenarios', 'factorial'],
  },
  load: { says: 'One run of REST calls to your own server', commands: ['load'] },
  // Pipelines
  gates: { says: 'A gate answers by exit code and report, for pipelines', commands: ['gate', 'gates'] },
  // Service
  service: { says: 'The service: REST API, configuration, health, metrics', commands: ['serve'] },
  queue: { says: 'Rounds are leased, a lost one returns, and an upload counts once' },
  runners: { says: "A service's campaigns on another machine", commands: ['runner'] },
  crashes: { says: 'Processes are killed at any moment, and nothing is lost or counted twice' },
  schedules: { says: 'Scheduled campaigns, what got worse since, and who is told', commands: ['schedule'] },
  access: { says: 'Tokens, roles, sessions and sign-in by OpenID Connect', commands: ['token'] },
  secrets: { says: 'Secrets for tested pages are sealed and never returned', commands: ['secret'] },
  upkeep: { says: 'The data is copied while the service runs; expired data goes; old data opens', commands: ['backup', 'retention'] },
  hostile: { says: 'Bad and hostile input gets an error that says what to do, and loses nothing' },
  sharing: { says: 'Public links, badges, cards and data for Grafana' },
  // Dashboard
  'dashboard-results': { says: 'The dashboard shows the answer of a campaign, its statistics, charts and visits' },
  'dashboard-live': { says: 'The dashboard follows a campaign as it runs' },
  'dashboard-forms': { says: 'Campaigns, schedules, gates and conditions are made in the dashboard' },
  'dashboard-sites': { says: 'The dashboard shows sites over time, and compares campaigns' },
  'dashboard-use': { says: 'The dashboard works by keyboard, by screen reader, on phones, in light and dark, within its budget' },
  // The rest
  'other-hars': { says: "Counts other people's HAR files", commands: ['import har', 'adoption'] },
  doctor: { says: "This machine's abilities and gaps, or a service's health", commands: ['doctor'] },
  tests: { says: 'All checks of this repository, by two commands on a bare machine', commands: ['test'] },
  'command-line': { says: 'Every command tells what it does, and ends with the exit code of its outcome' },
  containers: { says: 'Images of service, runner, origin and gate, by compose, with the TLS gateway' },
} as const satisfies Record<string, Capability>;

export type CapabilityName = keyof typeof capabilities;
