// A factorial study of REST calls: factors and levels, expanded to the sites of one campaign.

import { existsSync } from 'node:fs';
import { combinationsOf, designOf, factorialPower } from '@pronghorn/core/campaign';
import {
  type CampaignRequest,
  Condition,
  connectionsOfUsers,
  type Levels,
  levelLimits,
  type Workload,
  workloadLimits,
} from '@pronghorn/core/schemas';
import { usualRounds } from '@pronghorn/core/verdict';
import { type Protocol, protocols, type View, views } from '@pronghorn/core/vocabulary';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { openCallsDemo } from '../measure/demo-origin.ts';
import { writeOrReport } from '../measure/exports.ts';
import { factorialCsv } from '../measure/factorial-report.ts';
import { measure, type Scene } from '../measure/measure.ts';
import { conditionWishes, measureOptions, requestOf } from '../measure/request.ts';
import { printResults } from '../measure/results.ts';
import type { MeasuringOptions } from '../options/measuring.ts';
import { byteCount } from '../options/values.ts';
import { UsageError } from '../program/errors.ts';
import { mustBeWritable, readJson } from '../program/files.ts';
import { duration, wrap } from '../program/terminal.ts';

export type FactorialOptions = MeasuringOptions & { runsCsv?: string };

/** @param hasProtocols true where the command line names some. @returns as `measure` */
export async function measureDesign(named: string, options: FactorialOptions, hasProtocols: boolean): Promise<number> {
  const design = readDesign(named);
  mustBeWritable('runs-csv', options.runsCsv);
  const makeRequest = requestOf({ ...options, protocols: hasProtocols ? options.protocols : (design.protocols ?? options.protocols) });
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    const { callsUrl, ...scene } = await openCallsDemo(complete, measureOptions(options));
    const sites = sitesOfDesign(design, callsUrl);
    return {
      ...scene,
      request: {
        ...(options.precision === undefined && { rounds: design.replications ?? usualRounds(sites.length * complete.length, false) }),
        ...makeRequest(sites),
        ...(options.view === undefined && design.view !== undefined && { views: [design.view] }),
        name: design.name,
        engine: 'transaction',
        primaryMetric: options.metric ?? 'latencyMean',
      },
      created: ({ spec, sites }) => {
        for (const words of designNotes({ ...spec, sites })) console.error(wrap(words));
      },
      print: async (service, campaign, wishes) => {
        const code = await printResults(service, campaign, wishes);
        if (options.runsCsv === undefined) return code;
        const lines = factorialCsv(campaign, await Array.fromAsync(service.visits(campaign.id)));
        const left = `Nothing measured is lost: in the dashboard, the page Factorial of campaign ${campaign.id} has the same file.`;
        return (await writeOrReport(options.runsCsv, lines, left)) ? code : 1;
      },
    };
  };
  return await measure({ conditions: conditionWishes(options, design.factors.condition as string[]), setScene }, measureOptions(options));
}

const concurrency = '^[1-9]\\d{0,3}x[1-9]\\d{0,5}$';
const halved = ['method', 'payload', 'concurrency', 'connections'] as const;

export const Design = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    factors: Type.Object(
      {
        method: Type.Array(Type.Enum(['GET', 'POST']), { minItems: 1, uniqueItems: true }),
        payload: Type.Array(Type.String({ description: 'Such as 2MB: the size of a POST body, and of the answer to a GET.' }), {
          minItems: 1,
          uniqueItems: true,
        }),
        concurrency: Type.Array(Type.String({ pattern: concurrency, description: 'Users × requests of each, such as 5x20.' }), {
          minItems: 1,
          uniqueItems: true,
        }),
        connections: Type.Optional(Type.Array(Type.Enum([...connectionsOfUsers]), { minItems: 1, uniqueItems: true })),
        condition: Type.Array(Type.Union([Type.String({ minLength: 1 }), Condition]), { minItems: 1 }),
      },
      { additionalProperties: false },
    ),
    protocols: Type.Optional(Type.Array(Type.Enum([...protocols]), { minItems: 2, uniqueItems: true })),
    view: Type.Optional(
      Type.Enum([...views], { description: 'warm, the default, or cold: each connection is opened by its first request.' }),
    ),
    replications: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    half: Type.Optional(
      Type.Array(Type.Enum([...halved]), {
        minItems: 3,
        uniqueItems: true,
        description:
          'Three or four factors of two levels, of whose combinations only half are run: those whose level numbers add up to an even number. With three factors each is confounded with the pair of the others (resolution III), with four pairs with pairs (IV).',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Design = Static<typeof Design>;

// Zahra & Ardiansyah 2026, with their conditions in both directions between client and server.
const restStudy: Design = {
  name: 'REST study',
  factors: {
    method: ['POST', 'GET'],
    payload: ['2MB', '10MB'],
    concurrency: ['5x20', '20x25'],
    condition: ['native', 'medium', 'poor'],
  },
  protocols: ['h2', 'h3'],
  replications: 3,
};

export const designs: Readonly<Record<string, Design>> = {
  'rest-study': restStudy,
  // The same users, each with one request: 75 minutes instead of more than a day. A warm connection would have received everything once before.
  'rest-study-brief': {
    ...restStudy,
    name: 'REST study, one request of each user',
    factors: { ...restStudy.factors, concurrency: ['5x1', '20x1'] },
    view: 'cold',
  },
};

/** @throws UsageError that names the file, the place in it and what was expected */
export function readDesign(named: string): Design {
  if (Object.hasOwn(designs, named)) return designs[named] as Design;
  if (!existsSync(named))
    throw new UsageError(
      `There is no study or file ${named}. The built-in studies are ${Object.keys(designs).join(' and ')}; docs/transactions.md shows a file.`,
    );
  const content = readJson(named, 'The design');
  const [fault] = Value.Errors(Design, content);
  if (fault !== undefined) throw new UsageError(`The design ${named} is wrong at ${fault.instancePath || '/'}: ${faultWords(fault)}.`);
  const design = content as Design;
  for (const payload of design.factors.payload) bytesOf(payload, named);
  for (const factor of design.half ?? []) {
    const levels = design.factors[factor]?.length ?? 0;
    if (levels !== 2)
      throw new UsageError(
        `The design ${named} halves the factor ${factor}, which has ${levels} ${levels === 1 ? 'level' : 'levels'}. A half fraction needs factors with two levels: leave ${factor} out of half, or give it two.`,
      );
  }
  checkCombinations(sitesOfDesign(design, 'https://design.test'), design, named);
  return design;
}

/** An unknown part fails a schema that accepts nothing. */
const faultWords = ({ instancePath, message }: { instancePath: string; message: string }) =>
  message === 'schema is false' ? `there is no such part; expected ${partsOf(instancePath).join(', ')}` : message;
const partsOf = (path: string) => Object.keys(path.startsWith('/factors/') ? Design.properties.factors.properties : Design.properties);

function checkCombinations(sites: readonly Site[], { factors: { condition, payload } }: Design, named: string): void {
  const sizes = payload.map(byteCount);
  const twice = sizes.findIndex((size, n) => sizes.indexOf(size) !== n);
  if (twice !== -1)
    throw new UsageError(
      `The design ${named} has the payloads ${payload[sizes.indexOf(sizes[twice] as number)]} and ${payload[twice]}, which are the same number of bytes. Leave one out.`,
    );
  const cells = sites.length * condition.length;
  if (cells > levelLimits.cells)
    throw new UsageError(
      `The design ${named} has ${cells} combinations; expected at most ${levelLimits.cells}. Run half of them (half), or leave out levels.`,
    );
}

function bytesOf(payload: string, named: string): number {
  try {
    return byteCount(payload);
  } catch (error) {
    throw new UsageError(`The design ${named} has the payload "${payload}". ${(error as Error).message}`);
  }
}

type Site = CampaignRequest['sites'][number] & { levels: Levels };

/** The sites of a design, each with its levels. @param origin such as https://calls.pronghorn.test:4433 */
export function sitesOfDesign({ factors, half = [] }: Design, origin: string): Site[] {
  const sites: Site[] = [];
  for (const [m, method] of factors.method.entries())
    for (const [p, payload] of factors.payload.entries())
      for (const [l, each] of factors.concurrency.entries())
        for (const [c, connections] of (factors.connections ?? [undefined]).entries()) {
          const places = { method: m, payload: p, concurrency: l, connections: c };
          if (half.length > 0 && half.reduce((sum, factor) => sum + places[factor], 0) % 2 !== 0) continue;
          const [users = 1, requests = 1] = each.split('x').map(Number);
          if (users > workloadLimits.users)
            throw new UsageError(`The concurrency ${each} has ${users} users; expected at most ${workloadLimits.users}.`);
          const size = byteCount(payload);
          const workload: Workload = {
            method,
            users,
            requests,
            ...(method === 'POST' ? { bodyBytes: size } : {}),
            ...(connections === undefined ? {} : { connections }),
            // Twenty bodies of 10 MB take three minutes at 10 Mbit/s.
            requestTimeoutMs: workloadLimits.requestTimeoutMs,
          };
          const levels = {
            method,
            payload: payload.replace(/(?<=\d)(?=[a-z])/i, ' '),
            concurrency: each.replace('x', '×'),
            ...(connections === undefined ? {} : { connections }),
          };
          // The server uses only the size; the rest distinguishes sites.
          const path = new URL(method === 'POST' ? '/upload' : '/data', origin);
          path.search = new URLSearchParams({
            size: String(size),
            load: each,
            ...(connections === undefined ? {} : { connections }),
          }).toString();
          sites.push({ url: path.href, name: Object.values(levels).join(' '), workload, levels });
        }
  return sites;
}

const notableSeconds = 600;

/** The time of all bytes of a study at the rates of its conditions, including warming; conditions without a rate take no time. */
function minSeconds({ sites, conditions, protocols, views, rounds }: Parameters<typeof designNotes>[0]): number {
  const perRound = sites.flatMap(({ url, workload }) => {
    const { users = 1, requests = 1, bodyBytes, method, connections = 'user', shared = 1 } = workload ?? {};
    const warmed = { user: users, shared, pool: 1, each: 0 }[connections];
    const size = bodyBytes ?? Number(new URL(url).searchParams.get('size'));
    return conditions.flatMap(({ up, down }) =>
      views.map((view) => {
        const kilobits = ((users * requests + (view === 'warm' ? warmed : 0)) * size * 8) / 1_000;
        return kilobits / ((method === 'POST' ? up : down).rateKbps ?? Number.POSITIVE_INFINITY);
      }),
    );
  });
  return rounds * protocols.length * perRound.reduce((sum, seconds) => sum + seconds, 0);
}

/**
 * Notes before a design is measured, since it takes hours: what it confounds, and how many replications it needs where the requested ones can show
 * nothing.
 *
 * @param spec of the request, or of the campaign
 */
export function designNotes(spec: {
  sites: CampaignRequest['sites'];
  conditions: readonly Condition[];
  protocols: readonly Protocol[];
  views: View[];
  rounds: number;
}): string[] {
  const combinations = combinationsOf(spec);
  const { words, combinations: measured, of } = designOf(combinations);
  const power = factorialPower(spec.rounds, combinations.length);
  const seconds = minSeconds(spec);
  return [
    ...(seconds < notableSeconds
      ? []
      : [
          `At the rates of its conditions, the bytes of this study alone take ${duration(seconds)}. You can stop and resume it at any time.`,
        ]),
    ...(measured < of ? [words] : []),
    ...(power.canShow ? [] : [`${power.words} Set the number with --rounds, such as --rounds ${power.least}.`]),
  ];
}
