import type { ApiOptions } from '../../../app.ts';
import { openDatabase } from '../../../storage/database.ts';
import { createWrite } from '../../../storage/write.ts';
import { createCampaignLogRepository } from '../campaign-log/campaign-log-repository.ts';
import { type Clock, createClock } from '../clock/clock.ts';
import { createEvidenceStore } from '../evidence/evidence-store.ts';
import { createResourcesRepository } from '../resources/resources-repository.ts';
import { createRetention, type Retention } from './retention.ts';
import { createRetentionRepository } from './retention-repository.ts';

/** Retention without a service: by hand, also beside services on the same data folder. */
export function openRetention({
  database: file,
  evidenceDirectory,
  evidence = {},
}: Pick<ApiOptions, 'database' | 'evidenceDirectory' | 'evidence'>): Retention & { clock: Clock; close(): void } {
  const database = openDatabase(file);
  const write = createWrite(database);
  const parts = {
    write,
    retentionMarks: createRetentionRepository(database, write),
    resources: createResourcesRepository(database),
    evidence: createEvidenceStore({ ...evidence, directory: evidenceDirectory, database, write, now: Date.now }),
    campaignLog: createCampaignLogRepository(database, Date.now),
  };
  return { ...createRetention(parts, Date.now), clock: createClock(database, Date.now), close: () => database.close() };
}
