// A runner with a stand-in for Chrome, as a process that tests can stop, starve and kill. Says what the api has stored, line by line.
// node stand-in-runner.ts API NAME [LOAD_MS] [RESOURCES] [MIN_FREE_BYTES]; with STAND_IN_STEPS=yes each load waits for a line of standard input.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { sayAtOnce } from '@pronghorn/core/testing';
import { runRunner } from '../runner.ts';
import { standInExecutor } from './stand-in-engine.ts';

const [apiUrl = '', name = '', loadMs = '2', resources = '20', minFreeBytes = '0'] = process.argv.slice(2);
const say = (...words: string[]) => sayAtOnce(words.join(' '));
const [drain, stop] = [new AbortController(), new AbortController()];
process.on('SIGTERM', () => (drain.signal.aborted ? stop : drain).abort());
const steps = process.env.STAND_IN_STEPS === 'yes' ? createInterface(process.stdin)[Symbol.asyncIterator]() : undefined;
const stopped = once(stop.signal, 'abort');

await runRunner({
  apiUrl,
  name,
  location: null,
  capabilities: { engines: ['puppeteer'], browsers: ['chrome'], backends: ['direct'] },
  executor: standInExecutor({
    loadMs: Number(loadMs),
    resources: Number(resources),
    mayLoad: steps && (() => Promise.race([steps.next(), stopped])),
  }),
  keepEvidence: process.env.STAND_IN_EVIDENCE === 'yes',
  events: {
    registered: (id) => say('registered', id),
    leased: ({ id, round }) => say('leased', id, round.id, String(round.attempt)),
    visited: ({ id }) => say('visited', id),
    stored: ({ what, path }) => say('stored', what.replace(' ', '-'), path.split('/').at(-1) ?? ''),
    completed: ({ round }) => say('completed', round.id, String(round.attempt)),
    warned: (message) => say('warned', message),
  },
  drain: drain.signal,
  stop: stop.signal,
  minFreeBytes: Number(minFreeBytes),
  ...(process.env.STAND_IN_SPOOL === undefined ? {} : { spoolFolder: process.env.STAND_IN_SPOOL }),
  ...(process.env.STAND_IN_SPOOL_BYTES === undefined ? {} : { spoolMaxBytes: Number(process.env.STAND_IN_SPOOL_BYTES) }),
});
say('end');
if (steps) process.stdin.destroy();
