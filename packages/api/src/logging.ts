// The service's own log: one JSON object a line, or coloured text for a person at a terminal.
import { randomBytes } from 'node:crypto';
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
export function loggingOf(log: LogOptions | boolean): Pick<FastifyServerOptions, 'logger' | 'logController' | 'genReqId'> {
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
    // Unlike a counter, unique over processes and restarts.
    genReqId: () => randomBytes(6).toString('base64url'),
  };
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
