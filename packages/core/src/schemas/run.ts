// What a run of REST calls says beside its metrics: what became of its requests, second by second and one by one.
import Type, { type Static } from 'typebox';
import { orNull } from './fields.ts';

const count = (description?: string) => Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) });
const ms = () => Type.Number({ minimum: 0 });

const Spread = Type.Object(
  {
    count: count(),
    min: ms(),
    mean: ms(),
    p50: ms(),
    p90: ms(),
    p95: ms(),
    p99: ms(),
    p999: ms(),
    max: ms(),
    curve: Type.Array(Type.Tuple([Type.Number({ minimum: 0, maximum: 100 }), ms()]), {
      maxItems: 1_000,
      description:
        'The same by percentile: so much of 100 took at most so many milliseconds. Each step to 100 is half as long as the one before, but for five points within each.',
    }),
    hdr: Type.String({ description: 'The histogram, of microseconds, as HdrHistogram encodes it (V2, compressed, base64).' }),
  },
  { description: 'Milliseconds. A request that failed counts as one that took the whole time limit.' },
);

export const VisitRun = Type.Object({
  planned: count('Requests that were planned; 0: its time ended the run.'),
  succeeded: count(),
  errors: Type.Record(Type.String(), count(), { description: 'How many requests failed, by why; with the successes these are all.' }),
  details: Type.Record(Type.String(), Type.String({ maxLength: 2_000 }), {
    description: 'Of each such why, one in the words of the client.',
  }),
  wallSeconds: Type.Number({ minimum: 0, description: 'From the first request due to the last end.' }),
  connectionsBefore: count('Opened before the run.'),
  connections: count('Opened in the run.'),
  earlyData: count('Connections whose first requests went with the handshake (0-RTT).'),
  sentAgain: orNull(
    Type.Integer({ minimum: 0 }),
    'How often a request was sent once more, because the server had not processed it: it takes so many on a connection, and no more. Null: not known, of Chrome.',
  ),
  latency: Spread,
  ttfb: Spread,
  response: Spread,
  seconds: Type.Array(
    Type.Object({
      at: count('Seconds since the run began. What follows is of all until then.'),
      succeeded: count(),
      failed: count(),
      bytesReceived: count(),
      bytesSent: count(),
    }),
    { maxItems: 7_200 },
  ),
});
export type VisitRun = Static<typeof VisitRun>;
