// HAR files of others: imported here or at a service, and the adoption table that they give.
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { Client } from '@pronghorn/core/client';
import type { Adoption, AdoptionUnit } from '@pronghorn/core/schemas';
import { counted, leftOutWords } from '@pronghorn/core/text';
import { withService } from '../connection/local-service.ts';
import { inWords, remoteApi } from '../connection/remote-service.ts';
import type { AskingOptions, Token } from '../connection/token.ts';
import { Refusal } from '../program/errors.ts';
import { reasonOf } from '../program/files.ts';
import { table } from '../program/terminal.ts';

export interface AdoptionOptions extends AskingOptions {
  data?: string;
  api?: string;
  unit: AdoptionUnit;
}

/** A HAR file may be large, and the line slow. */
const uploadTimeoutMs = 600_000;

type Service = { url: string; token: Token };

/** @returns the exit code: 2 when a file could not be counted; the others are counted all the same. */
export async function importHars(files: readonly string[], options: AdoptionOptions): Promise<number> {
  return await withService(options, async (service) => {
    let failed = 0;
    for (const file of files) {
      try {
        console.log(`${file}: ${await importHar(file, service)}`);
      } catch (error) {
        failed++;
        console.error(`pronghorn: ${file}: ${reasonOf(error)}`);
      }
    }
    if (failed < files.length) console.log(`\n${await tableOf(service, options)}`);
    return failed === 0 ? 0 : 2;
  });
}

export async function showAdoption(options: AdoptionOptions): Promise<void> {
  await withService(options, async (service) => console.log(await tableOf(service, options)));
}

/** @throws Error with the message of the API, or of the system where the file can't be read */
async function importHar(file: string, { url, token }: Service): Promise<string> {
  statSync(file); // fails with the file's fault before anything is sent
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
  const { pages, requests, hosts, months, leftOut } = body;
  const what = [
    counted(pages, 'page'),
    counted(requests, 'request'),
    counted(hosts, 'host'),
    ...(months.length === 0 ? [] : [months.join(' ')]),
  ].join(', ');
  const unknown = leftOutWords(leftOut);
  const whole = unknown.length === 0 ? what : `${what}\n  unknown: ${unknown.join(', ')}`;
  return status === 201 ? whole : `counted before (${whole})`;
}

const tableOf = async (service: Service, { unit }: AdoptionOptions): Promise<string> =>
  adoptionReport(await remoteApi(service).ask('GET /adoption', { query: { unit } }));

/** Versions, providers and servers of a month that are shown. */
const maxShown = 8;

/** Adoption by month, and by provider and server in the last month. */
function adoptionReport({ unit, months }: Adoption): string {
  const last = months.at(-1);
  if (last === undefined) return 'No HAR file has been imported yet: ./pronghorn import har FILE…';
  const growth = months.map(({ month, units, adopting, adoptingShare, http3, http3Share, versions }) => [
    month,
    String(units),
    `${http3} (${percent(http3Share)})`,
    `${adopting} (${percent(adoptingShare)})`,
    versions
      .slice(0, maxShown)
      .map(({ version, share }) => `${version} ${percent(share)}`)
      .join(', '),
  ]);
  const groups = (
    name: string,
    rows: readonly { name: string; units: number; adopting: number; share: number; shareOfAdopting: number }[],
  ) =>
    table(
      [name, `${unit}s`, 'advertise', 'of its own', 'of all'],
      rows
        .slice(0, maxShown)
        .map((row) => [row.name, String(row.units), String(row.adopting), percent(row.share), percent(row.shareOfAdopting)]),
      [0],
    );
  return [
    table(['month', `${unit}s`, 'HTTP/3', 'HTTP/3 or QUIC', 'versions'], growth, [0, 4]),
    `${last.month}, ${counted(last.adopting, unit)} that ${last.adopting === 1 ? 'advertises' : 'advertise'} HTTP/3 or QUIC:`,
    groups(
      'provider',
      last.providers.map(({ provider, ...row }) => ({ name: provider, ...row })),
    ),
    groups(
      'server',
      last.servers.map(({ server, ...row }) => ({ name: server === '' ? '(none)' : server, ...row })),
    ),
  ].join('\n\n');
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
