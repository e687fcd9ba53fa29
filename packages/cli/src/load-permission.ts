// Whoever sends many requests shows first that the server is theirs.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { dirname, join } from 'node:path';
import { type DataFolder, UsageError } from './data.ts';
import { isLoopback } from './local/targets.ts';

/** Where a server shows whose requests it expects. */
export const tokenPath = '/.well-known/pronghorn';
const answerMs = 10_000;

/**
 * A server on this machine's loopback may be loaded as it is; any other has to serve this data folder's token first.
 *
 * @param authority PEM, in place of the system's authorities
 * @throws UsageError that says what to serve where
 */
export async function mayLoad(url: URL, data: DataFolder, authority: string | undefined): Promise<void> {
  if (isLoopback(url.href)) return;
  const token = tokenOf(data);
  const at = new URL(tokenPath, url);
  const found = await served(at, authority).catch((error: Error) => error);
  if (found === token) return;
  const what = found instanceof Error ? `it could not be asked (${found.message})` : `it serves ${JSON.stringify(found.slice(0, 60))}`;
  throw new UsageError(
    `${url.host} has not shown that it is yours to load: ${what}. Let it answer ${at.href} with the line\n  ${token}\nand run this again. Load only servers that you run.`,
  );
}

function tokenOf(data: DataFolder): string {
  const file = join(data.path, 'load-token');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const token = `pronghorn-${randomBytes(16).toString('hex')}`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${token}\n`);
  return token;
}

/** The first line of what a URL answers. */
async function served(url: URL, authority: string | undefined): Promise<string> {
  return await new Promise((resolve, reject) => {
    const asking = get(url, { timeout: answerMs, ...(authority !== undefined && { ca: authority }) }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > 1_000) asking.destroy(new Error('it answers more than a line'));
      });
      response.on('end', () => (response.statusCode === 200 ? resolve(text.trim()) : reject(new Error(`status ${response.statusCode}`))));
    });
    asking.on('timeout', () => asking.destroy(new Error(`no answer within ${answerMs / 1_000} s`)));
    asking.on('error', reject);
  });
}
