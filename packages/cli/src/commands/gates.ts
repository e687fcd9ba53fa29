// Gates that a service keeps under names, for pipelines and schedules: looked at, stored and deleted from anywhere.
import { assertionsOf } from '@pronghorn/core/campaign';
import type { Gate, GateAnswer, GateRequest, Page } from '@pronghorn/core/schemas';
import { counted, describeAssertion } from '@pronghorn/core/text';
import type { Command } from 'commander';
import { UsageError } from '../data.ts';
import { campaignOf, inTheWorld, readGateFile, rulesOf, siteOf } from '../gate/gate-file.ts';
import { type AskingOptions, apiOption, asking, tokenOf } from '../options/place.ts';
import { type RemoteApi, remoteApi } from '../remote.ts';
import { allOf, findByName, findNamed } from '../remote-named.ts';
import { plain, table } from '../terminal.ts';

interface Remote extends AskingOptions {
  api: string;
}

/** Adds `gates` with its commands. */
export function addGates(program: Command): void {
  const gates = program.command('gates').description('gates that a service keeps under a name, for schedules and pipelines');
  const remote = (name: string) => asking(gates.command(name).addOption(apiOption().makeOptionMandatory()));

  remote('list')
    .description('all of them: what each measures, and how much it asserts')
    .action(async (options: Remote) => console.log(listed(await allOf<Gate>(connect(options), '/gates'))));
  remote('show')
    .description('what one asserts, and what it said last')
    .argument('<gate>', 'its name, or its id')
    .option('--json', 'as a file that `gates save` and `gate` take')
    .action(async (given: string, options: Remote & { json?: true }) => {
      const api = connect(options);
      const gate = await findNamed<Gate>(api, 'gate', given);
      console.log(options.json ? JSON.stringify({ ...gate.campaign, ...gate.rules }, null, 2) : await shown(api, gate));
    });
  remote('save')
    .description('store what a file asserts, in place of what the name stood for')
    .argument('<name>', 'of the gate')
    .option('--config <file>', 'what is measured and what must hold; see docs/gates.md', 'pronghorn.json')
    .option('--rules', 'store only what must hold: it judges campaigns that others make')
    .action(async (name: string, options: Remote & { config: string; rules?: true }) => {
      console.log(await save(connect(options), requestOf(name, options.config, options.rules === true)));
    });
  remote('delete')
    .description('forget one; what it said stays')
    .argument('<gate>', 'its name, or its id')
    .action(async (given: string, options: Remote) => {
      const api = connect(options);
      const { id, name } = await findNamed<Gate>(api, 'gate', given);
      await api.delete(`/gates/${id}`);
      console.log(`Gate ${id}, "${plain(name)}", is deleted.`);
    });
}

const connect = (options: Remote) => remoteApi({ url: options.api, token: tokenOf(options) });

/** @throws UsageError on a file that is wrong, or says how to measure but not what. */
function requestOf(name: string, config: string, rulesAlone: boolean): GateRequest {
  const file = readGateFile(config);
  const rules = rulesOf(file);
  const others = campaignOf(file);
  const sites = file.sites?.map((site) => inTheWorld(siteOf(site, config)));
  if (rulesAlone || (sites === undefined && Object.keys(others).length === 0)) return { name, campaign: null, rules };
  if (sites === undefined)
    throw new UsageError(
      `The gate's file ${config} says how to measure (${Object.keys(others).join(', ')}), and has no sites. Name some, or leave that out with --rules.`,
    );
  return { name, campaign: { ...others, sites }, rules };
}

async function save(api: RemoteApi, request: GateRequest): Promise<string> {
  const before = await findByName<Gate>(api, 'gate', request.name);
  const gate = before ? await api.put<Gate>(`/gates/${before.id}`, request) : await api.post<Gate>('/gates', request);
  const asserts = counted(gate.rules.assertions.length, 'assertion');
  return `Gate ${gate.id}, "${plain(gate.name)}", is ${before ? 'changed' : 'stored'}: ${asserts}; it measures ${measured(gate)}.`;
}

const measured = ({ campaign }: Gate): string =>
  campaign === null
    ? 'nothing itself'
    : campaign.sites.length === 1
      ? plain(campaign.sites[0]?.url ?? '')
      : counted(campaign.sites.length, 'site');

function listed(gates: readonly Gate[]): string {
  if (gates.length === 0) return 'There are no gates. Store one with: ./pronghorn gates save NAME --config pronghorn.json';
  const rows = gates.map((gate) => [
    gate.id,
    plain(gate.name),
    measured(gate),
    String(gate.rules.assertions.length),
    `${time(gate.changedAt)}`,
  ]);
  return table(['id', 'name', 'measures', 'assertions', 'changed (UTC)'], rows, [1, 2, 4]);
}

async function shown(api: RemoteApi, gate: Gate): Promise<string> {
  const { items } = await api.get<Page<GateAnswer>>(`/gates/${gate.id}/results?limit=10`);
  const rows = items.map(({ campaignId, askedAt, askedBy, outcome }) => [
    ...[campaignId, time(askedAt), plain(askedBy ?? ''), outcome ?? 'its campaign is not done'],
  ]);
  return [
    `Gate ${gate.id}, "${plain(gate.name)}", changed ${time(gate.changedAt)} UTC. It measures ${measured(gate)}. It asserts`,
    ...assertionsOf(gate.rules).map((assertion) => `  ${plain(describeAssertion(assertion))}`),
    '',
    rows.length === 0 ? 'It was never asked.' : table(['campaign', 'asked (UTC)', 'by', 'outcome'], rows, [1, 2, 3]),
  ].join('\n');
}

const time = (iso: string) => iso.slice(0, 16).replace('T', ' ');
