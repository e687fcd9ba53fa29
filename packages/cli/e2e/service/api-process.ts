// An api as a process that tests can kill. node api-process.ts DATABASE EVIDENCE HOST PORT
import { startApi } from '@pronghorn/api';

const [database = '', evidenceDirectory = '', host = '', port = '0'] = process.argv.slice(2);
const api = await startApi({ database, evidenceDirectory, threads: true, host, port: Number(port), queue: { idleSeconds: 1 } });
console.log(`listens ${api.url}`);
process.on('SIGTERM', () => void api.close());
