// Files of a campaign: all as JSON, one line for each visit as CSV, one HAR for each visit.

import { accessSync, constants, createWriteStream, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { visitCsvLine, visitsCsvHeader } from '@pronghorn/core/campaign';
import { allItems } from '@pronghorn/core/client';
import type { Campaign, Visit } from '@pronghorn/core/schemas';
import { type DataFolder, makeFolder, mustBeWritable, reasonOf } from '../program/files.ts';
import type { LocalService } from '../connection/local-service.ts';
import { printError } from '../program/terminal.ts';
import { calibrations } from './calibrations.ts';
import { UsageError } from '../program/errors.ts';
import type { Exports } from '../options/measuring.ts';

/**
 * Finds out before a measurement whether its files could be written.
 *
 * @throws UsageError naming the option, the path and what is wrong with it
 */
export function checkExports({ json, csv, har }: Exports): void {
  mustBeWritable('json', json);
  mustBeWritable('csv', csv);
  mustBeWritable('har', har, (path) => {
    makeFolder(path);
    accessSync(path, constants.W_OK);
  });
}

/** @throws UsageError naming the file that can't be written; the measurements are in the data folder all the same */
export async function writeExports(
  service: LocalService,
  campaign: Campaign,
  { json, csv, har, harHeaders }: Exports,
  data: DataFolder,
): Promise<void> {
  const write = async (option: string, path: string | undefined, attempt: (path: string) => Promise<void>) => {
    if (path === undefined) return;
    try {
      await attempt(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      const again = `./pronghorn results ${campaign.id}${data.flag} --${option} PATH`;
      throw new UsageError(`${path} can't be written (${reasonOf(error)}). Nothing measured is lost: write it again with ${again}`);
    }
  };
  await write('json', json, async (path) => {
    const { id } = campaign;
    const [results, discoveries, linkChecks] = await Promise.all([
      service.results(id),
      service.discoveries(id),
      allItems((query) => service.ask('GET /campaigns/{id}/link-checks', { id, query })),
    ]);
    const visits = await Array.fromAsync(service.visits(id));
    const content = { campaign, results, calibrations: calibrations(campaign, visits), discoveries, linkChecks, visits };
    await whole(path, (file) => writeFile(file, `${JSON.stringify(content, null, 2)}\n`));
  });
  await write('csv', csv, (path) => whole(path, (file) => pipeline(lines(service, campaign), createWriteStream(file))));
  await write('har', har, async (folder) => {
    for await (const visit of service.visits(campaign.id)) {
      const har = JSON.stringify(await service.ask('GET /visits/{id}/har', { id: visit.id, query: { headers: harHeaders ?? 'safe' } }));
      await whole(join(folder, harName(campaign, visit)), (file) => writeFile(file, har));
    }
  });
}

/**
 * Writes a file beside its name and gives it that when it is whole, so that what was there stays until then. What is no file, such as a pipe, is written as it
 * is.
 *
 * @throws what `write` throws; nothing unfinished is left
 */
export async function whole(path: string, write: (file: string) => Promise<void>): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) return await write(path);
  const unfinished = `${path}.${process.pid}.part`;
  try {
    await write(unfinished);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/**
 * Writes a file that is no reason to leave out what comes after it: one that can't be written is told.
 *
 * @param left what is left of its content then
 * @returns whether it is written
 */
export async function writeOrReport(path: string, content: string, left: string): Promise<boolean> {
  try {
    await whole(path, (file) => writeFile(file, content));
    return true;
  } catch (error) {
    printError(new UsageError(`${path} can't be written (${reasonOf(error)}). ${left}`));
    return false;
  }
}

async function* lines(service: LocalService, campaign: Campaign): AsyncGenerator<string> {
  yield visitsCsvHeader;
  for await (const visit of service.visits(campaign.id)) yield visitCsvLine(visit, campaign.sites);
}

function harName(campaign: Campaign, visit: Visit): string {
  return `${campaign.id}-${visit.protocol}-${visit.startedAt.replaceAll(':', '')}-${visit.id.slice(0, 8)}.har`;
}
