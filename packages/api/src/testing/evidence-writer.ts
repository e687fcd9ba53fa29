// Stores evidence for each visit of a database, for tests in which that fails or is killed. Says each visit whose evidence is stored, and at the end how many
// steps that took: a step is before or after a change to a file, and before or after a transaction.
// node evidence-writer.ts DATABASE EVIDENCE BUDGET_BYTES TEXT BYTES_EACH [STEP]
// BUDGET_BYTES: 0 for none. TEXT: what the content begins with. STEP: at which it kills itself.
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Readable } from 'node:stream';
import { sayAtOnce } from '@pronghorn/core/testing';
import { gzipped } from './samples.ts';

const [file = '', directory = '', budget = '', text = '', bytesEach = '', killAt = '0'] = process.argv.slice(2);
const say = (...words: (string | number)[]) => sayAtOnce(words.join(' '));

let steps = 0;
function step(): void {
  steps += 1;
  if (steps === Number(killAt)) process.kill(process.pid, 'SIGKILL');
}
function around<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
  return (...args) => {
    step();
    const result = work(...args);
    step();
    return result;
  };
}
Object.assign(fs, { renameSync: around(fs.renameSync), rmSync: around(fs.rmSync) });
Object.assign(promises, { rm: around(promises.rm), open: around(promises.open) });
syncBuiltinESMExports();

const { openDatabase } = await import('../storage/database.ts');
const { createEvidenceStore } = await import('../plugins/app/evidence/evidence-store.ts');
const { createLocalStore } = await import('../store/open-store.ts');
const { settingsOf } = await import('../store/settings.ts');
const database = openDatabase(file);
const { createWrite } = await import('../storage/write.ts');
const write = createWrite(database);
const stepping = async <T>(work: () => T): Promise<T> => {
  step();
  const made = await write(work);
  step();
  return made;
};
const settings = settingsOf({ database: file, evidenceDirectory: directory, evidence: { budgetBytes: Number(budget) || null } });
const store = createEvidenceStore(createLocalStore(database, settings, stepping), settings.evidence);
for (const { id } of database.prepare<[], { id: string }>('SELECT id FROM visits ORDER BY seq').all()) {
  try {
    await store.put(id, {
      kind: 'evidence',
      mediaType: 'application/gzip',
      content: Readable.from([gzipped(`${text} of ${id}`, Number(bytesEach))]),
    });
    say('stored', id, steps);
  } catch (error) {
    say('failed', id, (error as NodeJS.ErrnoException).code ?? (error as Error).message);
  }
}
say('steps', steps);
