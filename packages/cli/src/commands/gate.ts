// A gate on the command line: a service measures, or this machine does.
import type { ServerWish } from '@pronghorn/origin';
import type { Command } from 'commander';
import { UsageError } from '../data.ts';
import { gateHere } from '../gate/gate-here.ts';
import { gateSchema } from '../gate/gate-schema.ts';
import { runGate } from '../gate/run-gate.ts';
import { type GateOptions, gateOptions, gateWishes } from '../options/gate.ts';
import { type LocalOptions, localOptions, targetOptions } from '../options/local.ts';
import { type LinkingOptions, linking, measureOptions, originOption, sitesOption } from '../options/measuring.ts';
import { dataOption } from '../options/place.ts';
import { between, share } from '../options/values.ts';

interface HereOptions extends GateOptions, LinkingOptions, LocalOptions {
  sites?: string[];
  origin: ServerWish;
  port?: number;
  busy?: number;
  evidence: boolean;
  data?: string;
}

export function addGate(program: Command): void {
  const command = gateOptions(program.command('gate'), {
    page: 'page to measure, a URL or a folder',
    api: 'a service whose runners measure; default: this machine does',
  })
    .addOption(sitesOption())
    .addOption(originOption())
    .option('--port <n>', 'port of the demo’s server', between(1, 65_535))
    .option('--busy <share>', 'in place of the file’s limits.foreignCpuShare: what other work may take of the CPU, 0 to 1', share);
  localOptions(linking(command))
    .option('--no-evidence', 'do not store the raw evidence of each visit (about 50 KB)')
    .addOption(dataOption())
    .action(async (options: HereOptions) => {
      if (options.schema !== undefined) process.stdout.write(gateSchema(options.schema));
      else process.exitCode = await gate(options);
    });
}

function gate(options: HereOptions): Promise<number> {
  const { sites = null, busy, origin: server, port, outside } = options;
  if (sites !== null && options.url.length > 0) throw new UsageError('Name --url or --sites of the demo, not both.');
  const local = { targets: targetOptions(options), outside, origin: { server, port } };
  const wishes = { ...gateWishes(options, './pronghorn gate'), busy, demo: sites };
  return runGate(wishes, gateHere(local, { ...measureOptions(options), exports: {} }));
}
