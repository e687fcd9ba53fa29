// HAR files of others, counted for the adoption table: here, or at a service.
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { Client } from '@pronghorn/core/client';
import { type AdoptionUnit, adoptionUnits } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { type Command, Option } from 'commander';
import { adoptionReport } from '../adoption-report.ts';
import { dataFolder, reasonOf } from '../data.ts';
import { House } from '../house.ts';
import type { Token } from '../job-token.ts';
import { type AskingOptions, apiOption, asking, dataOption, tokenOf } from '../options/connection-options.ts';
import { inWords, Refusal, remoteApi, serviceUrl } from '../remote.ts';

/** A HAR file may be large, and the line slow. */
const uploadTimeoutMs = 600_000;

interface Place extends AskingOptions {
  data?: string;
  api?: string;
  unit: AdoptionUnit;
}

/** Adds `import` and `adoption`. */
export function addImport(program: Command): void {
  const placed = (command: Command) =>
    asking(
      command
        .addOption(new Option('--unit <what>', 'site: hosts of main documents; host: all hosts').choices(adoptionUnits).default('site'))
        .addOption(apiOption('a service; default: this machine’s data folder')),
    ).addOption(dataOption());
  placed(program.command('import').description('what others measured, as HAR files').command('har'))
    .description('count HAR files of HTTP Archive, browsertime or others: who advertises HTTP/3')
    .argument('<file...>', 'HAR files, gzipped or not')
    .action(async (files: string[], options: Place) => {
      process.exitCode = await importHars(files, options);
    });
  placed(program.command('adoption'))
    .description('who advertises HTTP/3 and QUIC, by all HAR files that were imported')
    .action(async (options: Place) => {
      await at(options, async ({ url, token }) => console.log(adoptionReport(await adoptionOf(url, token, options.unit))));
    });
}

type Service = { url: string; token: Token };

/** @returns the exit code: 2 when a file could not be counted; the others are counted all the same. */
async function importHars(files: readonly string[], options: Place): Promise<number> {
  return await at(options, async ({ url, token }) => {
    let failed = 0;
    for (const file of files) {
      try {
        console.log(`${file}: ${await importHar(file, url, token)}`);
      } catch (error) {
        failed++;
        console.error(`pronghorn: ${file}: ${reasonOf(error)}`);
      }
    }
    if (failed < files.length) console.log(`\n${adoptionReport(await adoptionOf(url, token, options.unit))}`);
    return failed === 0 ? 0 : 2;
  });
}

/** @throws Error in the words of the api, or of the system where the file can't be read. */
async function importHar(file: string, url: string, token: Token): Promise<string> {
  statSync(file); // says what is wrong with the file, before anything is sent
  const { status, body } = await new Client({ service: url, token, timeoutMs: uploadTimeoutMs })
    .ask('POST /imports/har', {
      query: { name: basename(file).slice(0, 200) },
      headers: { 'content-type': file.endsWith('.gz') ? 'application/gzip' : 'application/json' },
      body: Readable.toWeb(createReadStream(file)) as ReadableStream,
    })
    .catch((error) => {
      const refusal = inWords(error, url, token);
      // Beside the file's name the title says nothing more.
      throw refusal instanceof Refusal ? new Error(refusal.message.replace(`${refusal.problem.title}: `, '')) : refusal;
    });
  const { pages, requests, hosts, months } = body;
  const what = `${counted(pages, 'page')}, ${counted(requests, 'request')}, ${counted(hosts, 'host')}, ${months.join(' ')}`;
  return status === 201 ? what : `counted before (${what})`;
}

const adoptionOf = (url: string, token: Token, unit: AdoptionUnit) => remoteApi({ url, token }).ask('GET /adoption', { query: { unit } });

async function at<T>(place: Place, work: (service: Service) => Promise<T>): Promise<T> {
  if (place.api !== undefined) return await work({ url: serviceUrl(place.api), token: tokenOf(place) });
  const house = await House.open(dataFolder(place.data));
  try {
    return await work({ url: house.url, token: house.token });
  } finally {
    await house.close();
  }
}
