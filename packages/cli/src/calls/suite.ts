// Seven scenarios of REST calls, as a published suite has them (github.com/codegik/golang-playground, http2-vs-http3-benchmark).
import type { CampaignRequest, Workload } from '@pronghorn/core/schemas';

interface Scenario {
  name: string;
  /** Of the site: what it asks for, and where several ask for the same, which one it is. */
  path: string;
  workload: Workload;
}

/** Each user sends one request after another; what all of them send is the published number. */
const scenarios: readonly Scenario[] = [
  { name: 'single requests', path: '/ping', workload: { users: 1, requests: 100 } },
  { name: 'high concurrency', path: '/json?users=50', workload: { users: 50, requests: 10 } },
  { name: 'very high concurrency', path: '/json?users=100', workload: { users: 100, requests: 10 } },
  { name: 'many small requests', path: '/data?size=1024', workload: { users: 50, requests: 40 } },
  { name: 'delayed answers', path: '/delay?ms=50', workload: { users: 20, requests: 10 } },
  { name: 'large files', path: `/data?size=${10 * 2 ** 20}`, workload: { users: 1, requests: 20 } },
  {
    name: 'mixed',
    path: '/mixed',
    workload: { users: 10, requests: 20, paths: ['/ping', '/json', `/data?size=${10 * 2 ** 10}`, `/data?size=${100 * 2 ** 10}`] },
  },
];

export const scenarioNames = scenarios.map(({ name }) => name);

/** @param origin such as https://calls.pronghorn.test:4433 */
export const sitesOfScenarios = (origin: string): CampaignRequest['sites'] =>
  scenarios.map(({ name, path, workload }) => ({ url: new URL(path, origin).href, name, workload }));
