// A gate on the command line: what may be asked, and where the answer goes.
import type { ServerWish } from '@pronghorn/origin';
import { type Command, Option } from 'commander';
import { UsageError } from '../data.ts';
import { type ExitCodes, exitCodesFrom } from '../gate/exit-codes.ts';
import { gateFileSchema } from '../gate/gate-schema.ts';
import { type GateFormat, gateFormats } from '../gate/outputs.ts';
import { pipelineOf } from '../gate/pipeline.ts';
import { runGate } from '../gate/run-gate.ts';
import { type LocalOptions, localOptions, targetOptions } from '../options/local.ts';
import { type LinkingOptions, linking, measureOptions, originOption, sitesOption } from '../options/measuring.ts';
import { type AskingOptions, apiOption, asking, dataOption, tokenOf } from '../options/place.ts';
import { between, minutes, repeated, share } from '../options/values.ts';

interface GateOptions extends LinkingOptions, AskingOptions, LocalOptions {
  config: string;
  url: string[];
  campaign?: string;
  repeat?: string;
  rounds?: number;
  baseline?: string;
  api?: string;
  wait: number;
  commit?: string;
  branch?: string;
  buildUrl?: string;
  format: GateFormat;
  json?: string;
  junit?: string;
  markdown?: string;
  summary?: true;
  exitOn: Partial<ExitCodes>;
  sites?: string[];
  origin: ServerWish;
  port?: number;
  busy?: number;
  evidence: boolean;
  schema?: true;
  data?: string;
}

export function addGate(program: Command): void {
  const command = program
    .command('gate')
    .description('for pipelines: measure, and say by the exit code whether what pronghorn.json asserts holds')
    .option('--config <file>', 'what is measured and what must hold; see docs/gates.md', 'pronghorn.json')
    .addOption(
      new Option('--url <url>', 'page to measure, a URL or a folder, in place of a site of the file (repeatable)')
        .argParser(repeated<string>)
        .default([], 'none'),
    )
    .option('--campaign <id>', 'judge this one instead of measuring')
    .addOption(
      new Option(
        '--repeat <id>',
        'measure as the second run of this one, by which what looks like failing against the baseline is decided',
      ).conflicts('campaign'),
    )
    .option('--rounds <n>', 'in place of the file’s', between(1, 10_000))
    .option('--baseline <branch>', 'whose campaigns came before (default: main)')
    .addOption(apiOption('a service whose runners measure; default: this machine does'));
  asking(command)
    .option('--wait <minutes>', 'for a service’s campaign', minutes, 60)
    .option('--commit <hash>', 'that is measured (default: by the pipeline’s environment)')
    .option('--branch <name>', 'of it (default: as --commit)')
    .option('--build-url <url>', 'where the pipeline is looked at (default: as --commit)')
    .addOption(new Option('--format <form>', 'what standard output gets').choices(gateFormats).default('text'))
    .option('--json <file>', 'write the answer as JSON')
    .option('--junit <file>', 'write it as JUnit XML')
    .option('--markdown <file>', 'write it as Markdown')
    .option('--summary', 'append it to GitHub’s job summary, where there is one')
    .addOption(
      new Option('--exit-on <codes>', 'such as inconclusive=0,fail=10; of pass, fail, inconclusive, error')
        .argParser(exitCodesFrom)
        .default({}, 'pass=0,fail=1,inconclusive=3,error=4'),
    )
    .addOption(sitesOption())
    .addOption(originOption())
    .option('--port <n>', 'port of the demo’s server', between(1, 65_535))
    .option('--busy <share>', 'in place of the file’s limits.foreignCpuShare: what other work may take of the CPU, 0 to 1', share);
  localOptions(linking(command))
    .option('--no-evidence', 'do not store the raw evidence of each visit (about 50 KB)')
    .option('--schema', 'print the JSON Schema of the file, and end')
    .addOption(dataOption())
    .action(async (options: GateOptions) => {
      if (options.schema) process.stdout.write(gateFileSchema());
      else process.exitCode = await runGate(wishesOf(options), { ...measureOptions(options), exports: {} });
    });
}

function wishesOf(options: GateOptions): Parameters<typeof runGate>[0] {
  const { commit, branch, buildUrl, repeat, sites } = options;
  if (sites !== undefined && options.url.length > 0) throw new UsageError('Name --url or --sites of the demo, not both.');
  return {
    config: options.config,
    urls: options.url,
    local: { targets: targetOptions(options), outside: options.outside },
    rounds: options.rounds,
    busy: options.busy,
    branch: options.baseline,
    demo: sites === undefined ? null : { names: sites, server: options.origin, port: options.port },
    annotations: {
      ...pipelineOf(process.env).annotations,
      ...(commit === undefined ? {} : { commit }),
      ...(branch === undefined ? {} : { branch }),
      ...(buildUrl === undefined ? {} : { buildUrl }),
      ...(repeat === undefined ? {} : { repeats: repeat }),
    },
    exitCodes: options.exitOn,
    outputs: { ...options, summary: options.summary === true },
    campaign: options.campaign,
    remote: options.api === undefined ? null : { url: options.api, token: tokenOf(options), waitSeconds: options.wait * 60 },
  };
}
