// A certificate for the names of local sites: signed by itself, for one run, trusted by its key alone.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { spkiHash } from '../certificates.ts';

const run = promisify(execFile);

export interface LocalCertificate {
  certificate: string;
  key: string;
  /** Base64 SHA-256 of its public key. */
  spki: string;
}

/** @throws {Error} with openssl's own words */
export async function makeCertificate(folder: string, names: readonly string[]): Promise<LocalCertificate> {
  const [configuration, certificate, key] = ['certificate.cnf', 'certificate.pem', 'key.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(
    configuration,
    `[req]\ndistinguished_name = name\n[name]\n[leaf]\nkeyUsage = critical, digitalSignature\nextendedKeyUsage = serverAuth\n` +
      `subjectAltName = ${names.map((name) => `DNS:${name}`).join(', ')}\n`,
  );
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30', '-extensions', 'leaf'];
  const files = ['-config', configuration, '-subj', '/CN=Pronghorn local sites', '-keyout', key, '-out', certificate];
  await run('openssl', ['req', ...made, ...files]).catch((error: Error) => {
    throw new Error(`openssl could not make a certificate for ${names[0]}: ${error.message}; is the package openssl installed?`);
  });
  return { certificate, key, spki: spkiHash(await readFile(certificate, 'utf8')) };
}
