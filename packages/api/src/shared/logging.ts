// The service's own log: one JSON object a line, or coloured text for a person at a terminal.
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Writable } from 'node:stream';
import { type FastifyServerOptions, LogController } from 'fastify';
import pretty from 'pino-pretty';

export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export type LogOptions = {
  level: (typeof logLevels)[number];
  /** Text with colours instead of JSON. */
  pretty: boolean;
  /** Default: standard output. */
  stream?: Writable;
};

/** Wherever something with these names is logged, what it says is not. */
const secrets = ['authorization', 'cookie', '"set-cookie"', 'token', 'tokens', 'secret', 'password'];

/** What fastify needs to log so; `false` logs nothing. */
export function loggingOf(
  log: LogOptions | boolean,
): Pick<FastifyServerOptions, 'logger' | 'logController' | 'genReqId' | 'childLoggerFactory'> {
  const {
    level,
    pretty: isPretty,
    stream = process.stdout,
  }: LogOptions = typeof log === 'boolean' ? { level: 'info', pretty: false } : log;
  return {
    logger: log !== false && {
      level,
      base: { pid: process.pid }, // several api processes may write into one log
      redact: { paths: secrets.flatMap((name) => withDepth(name)), censor: 'hidden' },
      formatters: { level: (label: string) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      stream: isPretty
        ? pretty({ destination: stream, ignore: 'pid,from,route,event,path,method,status', singleLine: true, messageFormat: inOneLine })
        : stream,
    },
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }), // request-log.ts has one line, not two
    genReqId: ({ headers }) => requestIdOf(headers),
    childLoggerFactory: (logger, bindings, options, { headers }) => {
      const trace = traceIdOf(headers);
      return logger.child(trace === undefined ? bindings : { ...bindings, trace }, options);
    },
  };
}

/** Unlike a counter, unique over processes and restarts. */
export const newRequestId = (): string => randomBytes(6).toString('base64url');

/** The one that a client or a gateway chose, where it can't be mistaken for anything else in a log. */
function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : newRequestId();
}

/** What W3C Trace Context calls trace-id; undefined where no valid traceparent was sent. Later versions may add fields at the end. */
function traceIdOf({ traceparent }: IncomingHttpHeaders): string | undefined {
  const fields = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(String(traceparent));
  if (fields === null) return undefined;
  const [, version, traceId = '', parentId = '', more] = fields;
  return /^0+$/.test(traceId) || /^0+$/.test(parentId) || (version === '00' && more !== undefined) ? undefined : traceId;
}

/** A message may have a name in it: what would begin another line, or rewrite this one, is written out. */
function inOneLine(log: Record<string, unknown>, key: string): string {
  const escaped = (one: string) => (one === '\n' ? '\\n' : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return String(log[key] ?? '').replaceAll(controls, escaped);
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const controls = /[\u0000-\u001f\u007f-\u009f]/g;

const withDepth = (name: string) => {
  const dot = name.startsWith('"') ? '' : '.';
  const key = name.startsWith('"') ? `[${name}]` : name;
  return [key, `*${dot}${key}`, `*.*${dot}${key}`, `*.*.*${dot}${key}`];
};
