// Messages between a runner and the visit command that it runs: one line of JSON each way, the request on standard input, the answer
// on standard output.
import {
  Capabilities,
  type Condition,
  Environment,
  InvalidReason,
  LinkCheck,
  type Site,
  SiteDiscovery,
  VisitLink,
} from '@pronghorn/core/schemas';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { DemoOrigin, DiscoveryRequest, Load } from '../engines/engine.ts';
import type { Evidence } from '../gather/evidence.ts';
import type { TraceEvent } from '../gather/netlog.ts';
import type { LinkChoice } from '../link/backends.ts';
import type { HostAddresses } from '../link/egress/resolver.ts';
import type { Fencing } from '../link/fence/fence.ts';
import type { LoadVisitor, VisitorState } from '../visitor/load-visitor.ts';

/** Increases when the two sides become incompatible. */
const wireProtocol = 1;

/** The link inside, the same for all visits of a campaign but for the hosts. */
export interface LinkRequest {
  choice: LinkChoice;
  conditions: readonly Condition[];
  allowNet: readonly string[];
  fencing: Fencing;
  congestionControl: string;
  /** Names that earlier loads of the page resolved, with their addresses; null: to be resolved before the load. */
  hosts: HostAddresses;
}

export type Request =
  /** Asks for its capabilities there. */
  | { ask: 'capabilities'; choice: LinkChoice; fencing: Fencing }
  /** Checks whether a link there matches a condition. */
  | { ask: 'proof'; link: LinkRequest; condition: Condition }
  /** Discovers the hosts of a site, with all loads that this takes. */
  | {
      ask: 'discovery';
      link: LinkRequest;
      lab: OriginRequest | null;
      site: Site;
      campaign: DiscoveryRequest;
      runner: string;
      visitor?: LoadVisitor;
    }
  /** Takes the steps of the load's visitor and returns the state that they leave. Under no condition. */
  | { ask: 'steps'; link: LinkRequest; lab: OriginRequest | null; load: Load }
  | { ask: 'load'; link: LinkRequest; lab: OriginRequest | null; condition: Condition; load: Load };

/** The demo origin; the names in its rules are its hosts. */
export type OriginRequest = Pick<DemoOrigin, 'trust' | 'settings'>;

const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const answers = {
  capabilities: Type.Object({ kind: Type.Literal('capabilities'), capabilities: Capabilities }),
  proof: Type.Object({ kind: Type.Literal('proof'), check: orNull(LinkCheck) }),
  discovery: Type.Object({ kind: Type.Literal('discovery'), discovery: SiteDiscovery, link: orNull(VisitLink) }),
  loaded: Type.Object({
    kind: Type.Literal('loaded'),
    /** Check of the round trips before the load; null: nothing to prove. */
    check: orNull(LinkCheck),
    link: orNull(VisitLink),
    environment: Environment,
    evidence: Type.Unsafe<Evidence>(
      Type.Object({
        version: Type.Literal(1),
        startedAt: Type.String(),
        network: Type.Array(Type.Unknown()),
        bodyBytes: Type.Record(Type.String(), Type.Number()),
      }),
    ),
    rawNetlog: Type.Optional(Type.Unsafe<readonly TraceEvent[]>(Type.Array(Type.Unknown()))),
    trace: Type.Optional(Type.String()),
  }),
  steps: Type.Object({
    kind: Type.Literal('steps'),
    state: Type.Unsafe<VisitorState>(Type.Object({ cookies: Type.Array(Type.Unknown()), storage: Type.Array(Type.Unknown()) })),
  }),
  /** The link does not do what the condition says: nothing was loaded. */
  'link-off': Type.Object({ kind: Type.Literal('link-off'), check: LinkCheck }),
  failed: Type.Object({
    kind: Type.Literal('failed'),
    why: Type.String(),
    /** Present if the page's prerequisites failed. */
    reason: Type.Optional(InvalidReason),
  }),
};
export type Answer = { [Name in keyof typeof answers]: Static<(typeof answers)[Name]> }[keyof typeof answers];
export type AnswerOf<What extends Answer['kind']> = Extract<Answer, { kind: What }>;

/** One for each: a union would report the first that did not fit. */
const checks = new Map(Object.entries(answers).map(([kind, schema]) => [kind, Compile(schema as Type.TSchema)]));

export const requestLine = (request: Request): string => `${JSON.stringify({ wireProtocol, ...request })}\n`;
export const answerLine = (answer: Answer): string => `${JSON.stringify({ wireProtocol, ...answer })}\n`;

/** @throws Error when it is no request, or one of another version */
export function readRequest(line: string): Request {
  const message = parsed(line);
  if (message === undefined || !('ask' in message))
    throw new Error(`Expected one line of JSON with a request on standard input, found: ${beginning(line)}`);
  sameProtocol(message, 'The runner');
  return message as unknown as Request;
}

/** @throws Error that quotes the output in place of an answer */
export function readAnswer(text: string): Answer {
  const message = parsed(text);
  if (message === undefined || !('kind' in message)) {
    throw new Error(
      `The visit command did not write exactly one answer to its standard output: ${beginning(text)}. ` +
        'It must end in `pronghorn visit`; everything around that must write to standard error.',
    );
  }
  sameProtocol(message, 'The visit command');
  const kind = String(message.kind);
  const check = checks.get(kind);
  if (check === undefined)
    throw new Error(`The visit command sent the unknown answer ${JSON.stringify(kind)}; expected ${[...checks.keys()].join(', ')}.`);
  if (check.Check(message)) return message as unknown as Answer;
  const [fault] = check.Errors(message);
  throw new Error(`The visit command’s answer ${kind} is invalid at ${fault?.instancePath || '/'}: ${fault?.message}.`);
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
    `${who} has another version of Pronghorn (visit protocol ${theirs}, here ${wireProtocol}): use the same version on both sides.`,
  );
}

function beginning(text: string): string {
  const start = text.trim().slice(0, 200);
  return start === '' ? 'nothing' : JSON.stringify(start);
}
