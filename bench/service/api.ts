// The api as a process of its own, so that its memory and its CPU are its own. node api.ts DATABASE EVIDENCE
import { startApi } from '../../packages/api/src/index.ts';

const [database = '', evidenceDirectory = ''] = process.argv.slice(2);
const api = await startApi({ database, evidenceDirectory, queue: { maxOpenRounds: 1e9, turnMs: 1e9 } });
console.log(api.url);
process.on('SIGTERM', () => void api.close());
