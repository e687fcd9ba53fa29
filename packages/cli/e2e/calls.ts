// The built-in server of REST calls as a process, with a self-signed certificate.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTransaction } from '@pronghorn/runner';
import { type Running, startProgram } from './command.ts';

export interface CallsServer {
  /** https://ADDRESS:PORT, without a path. */
  url: string;
  /** PEM file of the authority to trust. */
  ca: string;
  process: Running;
  close(): Promise<void>;
}

/**
 * @param address of this machine
 * @param token shown at /.well-known/pronghorn
 */
export async function callsServer({ address = '127.0.0.1', token }: { address?: string; token?: string } = {}): Promise<CallsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'pronghorn-calls-'));
  const [key, ca] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=calls', '-addext', `subjectAltName=IP:${address}`];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', ca, '-days', '2', ...subject], { stdio: 'pipe' });
  const shown = token === undefined ? [] : ['-token', token];
  const process = startProgram(findTransaction(), ['serve', '-listen', `${address}:0`, '-certificate', ca, '-key', key, ...shown], {});
  await process.says(/"listening"\}\n/);
  return {
    url: `https://${JSON.parse(process.stdout()).address}`,
    ca,
    process,
    close: async () => {
      process.child.kill('SIGTERM');
      await process.ended;
      await rm(folder, { recursive: true });
    },
  };
}
