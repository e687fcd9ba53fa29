// Options of a gate, and of where its answer goes.
import { type Command, Option } from 'commander';
import { type AskingOptions, tokenOf } from '../connection/token.ts';
import { apiOption, asking } from '../options/connection-options.ts';
import { defined, integerBetween, minutesTo10000, repeatable } from '../options/values.ts';
import { pipelineOf } from './pipeline.ts';
import { type ExitCodes, exitCodesFrom } from './reported.ts';
import type { GateWishes } from './run-gate.ts';

const gateFormats = ['text', 'json', 'junit', 'markdown'] as const;
export type GateFormat = (typeof gateFormats)[number];
/** JSON Schemas that can be printed: of pronghorn.json, and of the report that `--json` writes. */
const gateSchemas = ['file', 'report'] as const;
export type GateSchema = (typeof gateSchemas)[number];

export interface GateOptions extends AskingOptions {
  config: string;
  gate?: string;
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
  codequality?: string;
  sarif?: string;
  summary?: true;
  comment?: true;
  status?: true;
  exitOn: Partial<ExitCodes>;
  schema?: GateSchema;
}

export function gateOptions(command: Command, { page, api }: { page: string; api: string }): Command {
  command
    .description('for pipelines: measure; the exit code says whether the assertions of pronghorn.json, or of a stored gate, hold')
    .option('--config <file>', 'what to measure and what must hold; see docs/gates.md', 'pronghorn.json')
    .addOption(new Option('--gate <name>', 'use this stored gate of the service instead of a file').conflicts(['config', 'baseline']))
    .addOption(repeatable('--url <url>', `${page}, instead of a site of the file or the gate`))
    .option('--campaign <id>', 'judge this campaign instead of measuring')
    .addOption(
      new Option('--repeat <id>', 'measure a second run of this campaign, to confirm a failure against the baseline').conflicts('campaign'),
    )
    .option('--rounds <n>', 'rounds to measure, instead of the file’s', integerBetween(1, 10_000))
    .option('--baseline <branch>', 'branch whose campaigns are the baseline (default: main)')
    .addOption(apiOption(api));
  return asking(command)
    .option('--wait <minutes>', 'how long to wait for each campaign of a service', minutesTo10000, 60)
    .option('--commit <hash>', 'measured commit (default: from the pipeline’s environment)')
    .option('--branch <name>', 'its branch (default: as --commit)')
    .option('--build-url <url>', 'URL of the pipeline (default: as --commit)')
    .addOption(new Option('--format <form>', 'what to write to standard output').choices(gateFormats).default('text'))
    .option('--json <file>', 'write the answer as JSON')
    .option('--junit <file>', 'write the answer as JUnit XML')
    .option('--markdown <file>', 'write the answer as Markdown')
    .option('--codequality <file>', 'write failed checks as GitLab Code Quality')
    .option('--sarif <file>', 'write failed checks as SARIF')
    .option('--summary', 'append the answer to GitHub’s job summary, where there is one')
    .addOption(
      new Option('--exit-on <codes>', 'exit codes by outcome, such as inconclusive=0,fail=10')
        .argParser(exitCodesFrom)
        .default({}, 'pass=0,fail=1,inconclusive=3,unmeasured=5,error=4'),
    )
    .option('--comment', 'write or update a comment on the pull or merge request; needs GITHUB_TOKEN or GITLAB_TOKEN')
    .option('--status', 'set the status of the commit, with the same token')
    .addOption(
      new Option('--schema [of]', 'print the JSON Schema of the file, or of what --json writes (report), and end')
        .choices(gateSchemas)
        .preset('file'),
    );
}

export function gateWishes(options: GateOptions, called: string): GateWishes {
  const { commit, branch, buildUrl, repeat: repeats } = options;
  const { annotations, forge } = pipelineOf(process.env);
  const { GITHUB_TOKEN, GITLAB_TOKEN } = process.env;
  return {
    source: options.gate === undefined ? { file: options.config } : { gate: options.gate },
    urls: options.url,
    demo: null,
    rounds: options.rounds,
    busy: undefined,
    branch: options.baseline,
    annotations: { ...annotations, ...defined({ commit, branch, buildUrl, repeats }) },
    exitCodes: options.exitOn,
    outputs: { ...options, summary: options.summary === true },
    feedback: {
      forge,
      token: (forge?.kind === 'gitlab' ? GITLAB_TOKEN : GITHUB_TOKEN) || null,
      ...{ comment: options.comment === true, status: options.status === true },
    },
    campaign: options.campaign,
    remote: options.api === undefined ? null : { url: options.api, token: tokenOf(options), waitSeconds: options.wait * 60 },
    called,
  };
}
