// What is said between a runner and the visit command that it runs: one line of JSON each way, the request on standard input, the answer
// on standard output.
import {
  type CampaignSpec,
  Capabilities,
  type Condition,
  Environment,
  LinkCheck,
  type Site,
  SiteDiscovery,
  VisitLink,
} from '@pronghorn/core';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Lab, Load } from '../engines/engine.ts';
import type { Evidence } from '../gather/evidence.ts';
import type { LinkChoice } from '../link/backends.ts';

/** Grows when one of the two can't work with the other of before. */
const wireProtocol = 1;

/** The link inside, the same for all visits of a campaign. */
export interface LinkAsked {
  choice: LinkChoice;
  /** All of the campaign: what the link is made of follows from them. */
  conditions: readonly Condition[];
  allowNet: readonly string[];
  congestionControl: string;
}

export type Request =
  /** What can it do there? */
  | { ask: 'capabilities'; choice: LinkChoice }
  /** Does a link there do what a condition says? */
  | { ask: 'proof'; link: LinkAsked; condition: Condition }
  /** What hosts has a site? All loads of that in one. */
  | { ask: 'discovery'; link: LinkAsked; lab: LabAsked | null; site: Site; campaign: { id: string; spec: CampaignSpec }; runner: string }
  /** Loads a page under a condition. */
  | { ask: 'load'; link: LinkAsked; lab: LabAsked | null; condition: Condition; load: Load };

/** The demo origin; the names in its rules are its hosts. */
export type LabAsked = Pick<Lab, 'trust' | 'settings'>;

const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const Answer = Type.Union([
  Type.Object({ told: Type.Literal('capabilities'), capabilities: Capabilities }),
  Type.Object({ told: Type.Literal('proof'), check: orNull(LinkCheck) }),
  Type.Object({ told: Type.Literal('discovery'), discovery: SiteDiscovery, link: orNull(VisitLink) }),
  Type.Object({
    told: Type.Literal('loaded'),
    /** Of the round trips, before the load; null: nothing was to be proven. */
    check: orNull(LinkCheck),
    link: orNull(VisitLink),
    environment: Environment,
    evidence: Type.Unsafe<Evidence>(
      Type.Object({ version: Type.Literal(1), startedAt: Type.String(), network: Type.Array(Type.Unknown()) }),
    ),
  }),
  /** The link does not do what the condition says: nothing was loaded. */
  Type.Object({ told: Type.Literal('link-off'), check: LinkCheck }),
  Type.Object({ told: Type.Literal('failed'), why: Type.String() }),
]);
export type Answer = Static<typeof Answer>;
export type Told<What extends Answer['told']> = Extract<Answer, { told: What }>;

const check = Compile(Answer);

export const requestLine = (request: Request): string => `${JSON.stringify({ wireProtocol, ...request })}\n`;
export const answerLine = (answer: Answer): string => `${JSON.stringify({ wireProtocol, ...answer })}\n`;

/** @throws Error when it is no request, or one of another version */
export function readRequest(line: string): Request {
  const said = parsed(line);
  if (said === undefined || !('ask' in said))
    throw new Error(`Expected one line of JSON with a request on standard input, found: ${beginning(line)}`);
  sameProtocol(said, 'The runner');
  return said as unknown as Request;
}

/** @throws Error that says what stands there instead of an answer */
export function readAnswer(text: string): Answer {
  const said = parsed(text);
  if (said === undefined || !('told' in said)) {
    throw new Error(
      `The visit command wrote something else than one answer on its standard output: ${beginning(text)}. ` +
        'It has to end in `pronghorn visit`, and whatever stands around that has to write to standard error.',
    );
  }
  sameProtocol(said, 'The visit command');
  if (check.Check(said)) return said;
  const [fault] = check.Errors(said);
  throw new Error(`The visit command’s answer is not what it should be, at ${fault?.instancePath || '/'}: ${fault?.message}.`);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function sameProtocol({ wireProtocol: theirs }: Record<string, unknown>, who: string): void {
  if (theirs === wireProtocol) return;
  throw new Error(
    `${who} is of another version of Pronghorn (visit protocol ${theirs}, here ${wireProtocol}): use the same on both sides.`,
  );
}

function beginning(text: string): string {
  const start = text.trim().slice(0, 200);
  return start === '' ? 'nothing' : JSON.stringify(start);
}
