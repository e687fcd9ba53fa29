// A run of REST calls beside its metrics: its requests, second by second and one by one.
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
        'Times by percentile: that percentage took at most this many milliseconds. Each step towards 100 is half as long as the previous one, with five points in each.',
    }),
    hdr: Type.String({ description: 'The histogram in microseconds, as HdrHistogram encodes it (V2, compressed, base64).' }),
  },
  { description: 'Milliseconds. A failed request counts as the whole time limit.' },
);

export const VisitRun = Type.Object({
  planned: count('Planned requests; 0: the run ended by time.'),
  succeeded: count(),
  errors: Type.Record(Type.String(), count(), { description: 'Failed requests by cause; with the successes these are all requests.' }),
  details: Type.Record(Type.String(), Type.String({ maxLength: 2_000 }), {
    description: 'For each cause, one message of the client.',
  }),
  wallSeconds: Type.Number({ minimum: 0, description: 'From the first request due to the last end.' }),
  connectionsBefore: count('Connections opened before the run.'),
  connections: count('Connections opened during the run.'),
  earlyData: count('Connections whose first requests were sent with the handshake (0-RTT).'),
  sentAgain: orNull(
    Type.Integer({ minimum: 0 }),
    'Requests sent again because the server had not processed them: it accepts a limited number on a connection. Null: unknown, as for Chrome.',
  ),
  latency: Spread,
  ttfb: Spread,
  response: Spread,
  seconds: Type.Array(
    Type.Object({
      at: count('Seconds since the run began. The counts are cumulative.'),
      succeeded: count(),
      failed: count(),
      bytesReceived: count(),
      bytesSent: count(),
    }),
    { maxItems: 7_200 },
  ),
});
export type VisitRun = Static<typeof VisitRun>;
