// The process of service.ts: service-process.ts DATABASE EVIDENCE [DASHBOARD]
import { buildApi } from '../../packages/api/src/index.ts';
import type { ServiceOrder } from './service.ts';

const [database = '', evidenceDirectory = '', webRoot] = process.argv.slice(2);
let aheadMs = 0;
const api = await buildApi({
  database,
  evidenceDirectory,
  threads: true,
  ...(webRoot !== undefined && { webRoot }),
  queue: { maxOpenRounds: 1e9, turnMs: 1e9 },
  now: () => Date.now() + aheadMs,
});
process.send?.(await api.listen({ host: '127.0.0.1', port: 0 }));
process.on('message', async (order: ServiceOrder) => {
  if ('aheadMs' in order) aheadMs = order.aheadMs;
  process.send?.('retention' in order ? await api.retention.run(order.retention) : 'done');
});
process.on('SIGTERM', () => process.disconnect());
// This process ends also when the bench is killed.
process.on('disconnect', () => void api.close());
