// An api as a process that tests can kill. node api-process.ts DATABASE EVIDENCE PORT
import { startApi } from '@pronghorn/api';

const [database = '', evidenceDirectory = '', port = '0'] = process.argv.slice(2);
const api = await startApi({
  database,
  evidenceDirectory,
  threads: true,
  port: Number(port),
  leaseMs: 2_000,
  runners: { heartbeatMs: 500 },
  queue: { idleSeconds: 1 },
});
console.log(`listens ${api.url}`);
process.on('SIGTERM', () => void api.close());
