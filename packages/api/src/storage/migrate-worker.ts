// A thread that brings a database to the newest schema, so that the process can say meanwhile that it is at it.
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from './database.ts';

const { file, migrations } = workerData as { file: string; migrations?: string };
// As long as another process is at it: two that start together shall both come up.
openDatabase(file, { busyTimeoutMs: 3_600_000, migrations, onMigration: (progress) => parentPort?.postMessage(progress) }).close();
