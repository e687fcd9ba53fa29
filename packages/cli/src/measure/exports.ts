// Exports of a campaign: everything as JSON, a CSV line for each visit, a HAR file for each visit.

import { accessSync, constants, createWriteStream, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { visitCsvLine, visitsCsvHeader } from '@pronghorn/core/campaign';
import { allItems } from '@pronghorn/core/client';
import type { Campaign, Visit } from '@pronghorn/core/schemas';
import type { LocalService } from '../connection/local-service.ts';
import type { Exports } from '../options/measuring.ts';
import { UsageError } from '../program/errors.ts';
import { type DataFolder, makeFolder, mustBeWritable, reasonOf } from '../program/files.ts';
import { printError } from '../program/terminal.ts';
import { calibrations } from './calibrations.ts';

/**
 * Called before a measurement, so that its files can be written afterwards.
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

/** @throws UsageError naming the file that can't be written; the data folder still has the measurements */
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
    const [results, { caveats }, discoveries, linkChecks] = await Promise.all([
      service.results(id),
      service.ask('GET /campaigns/{id}/summary', { id }),
      service.discoveries(id),
      allItems((query) => service.ask('GET /campaigns/{id}/link-checks', { id, query })),
    ]);
    const visits = await Array.fromAsync(service.visits(id));
    const content = { campaign, caveats, results, calibrations: calibrations(campaign, visits), discoveries, linkChecks, visits };
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
 * Writes a temporary file and renames it when it is complete, so that an existing file stays until then. Anything but a regular file, such as a pipe, is
 * written directly.
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
 * Writes a file, and reports on standard error if that fails, so that the command goes on.
 *
 * @param left says what remains of the content then
 * @returns true when it is written
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
  const { caveats } = await service.ask('GET /campaigns/{id}/summary', { id: campaign.id });
  yield visitsCsvHeader;
  for await (const visit of service.visits(campaign.id)) yield visitCsvLine(visit, { ...campaign, caveats });
}

function harName(campaign: Campaign, visit: Visit): string {
  return `${campaign.id}-${visit.protocol}-${visit.startedAt.replaceAll(':', '')}-${visit.id.slice(0, 8)}.har`;
}
