// A factorial study of REST calls: factors and levels, expanded to the sites of a campaign.
import { readFileSync } from 'node:fs';
import { type CampaignRequest, Condition, protocols, type Workload, workloadLimits } from '@pronghorn/core';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { reasonOf, UsageError } from '../data.ts';
import { bytes } from '../options/workload.ts';

const load = '^[1-9]\\d{0,3}x[1-9]\\d{0,5}$';

export const Design = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    factors: Type.Object(
      {
        method: Type.Array(Type.Enum(['GET', 'POST']), { minItems: 1, uniqueItems: true }),
        payload: Type.Array(Type.String({ description: 'Such as 2MB: the body of a POST, and of the answer to a GET.' }), {
          minItems: 1,
          uniqueItems: true,
        }),
        load: Type.Array(Type.String({ pattern: load, description: 'Users × requests of each, such as 5x20.' }), {
          minItems: 1,
          uniqueItems: true,
        }),
        condition: Type.Array(Type.Union([Type.String({ minLength: 1 }), Condition]), { minItems: 1 }),
      },
      { additionalProperties: false },
    ),
    protocols: Type.Optional(Type.Array(Type.Enum([...protocols]), { minItems: 2, uniqueItems: true })),
    replications: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    half: Type.Optional(
      Type.Array(Type.Enum(['method', 'payload', 'load']), {
        minItems: 2,
        uniqueItems: true,
        description: 'Factors of two levels of whose combinations half are run: those whose levels’ places add up to an even number.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Design = Static<typeof Design>;

export const designs: Readonly<Record<string, Design>> = {
  // Zahra & Ardiansyah 2026, with their conditions on the path between client and server, in both directions.
  'rest-study': {
    name: 'REST study',
    factors: {
      method: ['POST', 'GET'],
      payload: ['2MB', '10MB'],
      load: ['5x20', '20x25'],
      condition: ['native', 'medium', 'poor'],
    },
    protocols: ['h2', 'h3'],
    replications: 3,
  },
};

/** @throws UsageError that names the file, the place in it and what was expected */
export function readDesign(named: string): Design {
  const known = designs[named];
  if (known !== undefined) return known;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(named, 'utf8'));
  } catch (error) {
    throw new UsageError(
      `There is no study ${named}, nor a file of a design (${error instanceof SyntaxError ? error.message : reasonOf(error)}). Studies: ${Object.keys(designs).join(', ')}; docs/transactions.md shows a file.`,
    );
  }
  const [fault] = Value.Errors(Design, content);
  if (fault !== undefined) throw new UsageError(`The design ${named} is wrong at ${fault.instancePath || '/'}: ${fault.message}.`);
  const design = content as Design;
  for (const payload of design.factors.payload) bytesOf(payload, named);
  for (const factor of design.half ?? [])
    if (design.factors[factor].length !== 2)
      throw new UsageError(
        `The design ${named} halves the factor ${factor}, which has ${design.factors[factor].length} levels and not two.`,
      );
  return design;
}

function bytesOf(payload: string, named: string): number {
  try {
    return bytes(payload);
  } catch (error) {
    throw new UsageError(`The design ${named} has the payload "${payload}". ${(error as Error).message}`);
  }
}

/** Of one site: its levels of all factors but the condition. */
export type Levels = Record<'method' | 'payload' | 'load', string>;

/** The sites of a design, each with its levels. @param origin such as https://calls.pronghorn.test:4433 */
export function sitesOfDesign(
  { factors, half = [] }: Design,
  origin: string,
): { site: CampaignRequest['sites'][number]; levels: Levels }[] {
  const found: { site: CampaignRequest['sites'][number]; levels: Levels }[] = [];
  for (const [m, method] of factors.method.entries())
    for (const [p, payload] of factors.payload.entries())
      for (const [l, each] of factors.load.entries()) {
        const places = { method: m, payload: p, load: l };
        if (half.length > 0 && half.reduce((sum, factor) => sum + places[factor], 0) % 2 !== 0) continue;
        const [users = 1, requests = 1] = each.split('x').map(Number);
        if (users > workloadLimits.users)
          throw new UsageError(`The load ${each} has ${users} users; expected at most ${workloadLimits.users}.`);
        const size = bytes(payload);
        const workload: Workload = {
          method,
          users,
          requests,
          ...(method === 'POST' ? { bodyBytes: size } : {}),
          requestTimeoutMs: 120_000,
        };
        const path = method === 'POST' ? `/upload?size=${size}&load=${each}` : `/data?size=${size}&load=${each}`;
        found.push({
          site: { url: new URL(path, origin).href, name: `${method} ${payload} ${each.replace('x', '×')}`, workload },
          levels: { method, payload, load: each },
        });
      }
  return found;
}
