// Writes a visitor's certificates into Chrome's profile before it starts: authorities that the operator trusts, and a client certificate.
import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Visitor } from '@pronghorn/core/schemas';
import type { ChromeBuild } from '../machine/find.ts';
import { VisitorError } from '../visitor/load-visitor.ts';

/**
 * Prepares a fresh profile.
 *
 * @param profile its folder, which has `Default`, and is the home of Chrome's user
 * @returns the files and folders that it wrote
 * @throws VisitorError where a certificate can't be read, or the build has no store for it; Error where this machine lacks what writes it
 */
export function prepareProfile(visitor: Visitor | undefined, browser: ChromeBuild, profile: string): string[] {
  const { ca, clientCertificate } = visitor ?? {};
  if (ca === undefined && clientCertificate === undefined) return [];
  if (browser === 'headless-shell')
    throw new VisitorError(
      'step-failed',
      'The headless shell has no store for certificates of your own. Use --browser chrome with a CA or a client certificate.',
    );
  return [
    ...(ca === undefined ? [] : [trustAuthorities(ca, join(profile, 'Default'))]),
    ...(clientCertificate === undefined ? [] : storeClientCertificate(clientCertificate, profile)),
  ];
}

/** Into the store of NSS in the home of Chrome's user, which goes with the profile. */
function storeClientCertificate(pem: string, profile: string): string[] {
  const folder = join(profile, '.pki');
  const store = join(folder, 'nssdb');
  const [given, packed] = [join(store, 'given.pem'), join(store, 'given.p12')];
  mkdirSync(store, { recursive: true, mode: 0o700 });
  writeFileSync(given, pem, { mode: 0o600 });
  try {
    run('openssl', 'openssl', 'pkcs12', '-export', '-in', given, '-out', packed, '-passout', 'pass:', '-name', 'visitor');
    run(nssTool, 'libnss3-tools', '-i', packed, '-d', `sql:${store}`, '-W', '', '-K', '');
  } finally {
    rmSync(given, { force: true });
    rmSync(packed, { force: true });
  }
  return [folder, store, ...readdirSync(store).map((name) => join(store, name))];
}

const nssTool = 'pk12util';

/** @param ofPackage Debian's name; other distributions call libnss3-tools nss-tools */
function run(program: string, ofPackage: string, ...args: string[]): void {
  try {
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 30_000 });
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: Buffer };
    if (code === 'ENOENT')
      throw new Error(`A client certificate needs ${program}, which is not installed here. Install the package ${ofPackage}.`);
    throw new VisitorError('secret-missing', `${program} can't store the client certificate: ${String(stderr ?? code).trim()}`);
  }
}

/**
 * Chrome's own store of certificates that its user trusts (`components/server_certificate_database` of Chromium): what `chrome://certificate-manager`
 * lists as installed by you. Names, dates and signatures are checked as always.
 */
function trustAuthorities(pem: string, settings: string): string {
  const file = join(settings, 'ServerCertificate');
  const database = new DatabaseSync(file);
  try {
    database.exec(
      `CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
       INSERT INTO meta VALUES ('version', '1'), ('last_compatible_version', '1');
       CREATE TABLE certificates(sha256hash_hex TEXT PRIMARY KEY, der_cert BLOB NOT NULL, trust_settings BLOB NOT NULL)`,
    );
    const insert = database.prepare('INSERT OR IGNORE INTO certificates VALUES (?, ?, ?)');
    for (const { raw } of authoritiesOf(pem)) insert.run(createHash('sha256').update(raw).digest('hex'), raw, trusted);
  } finally {
    database.close();
  }
  return file;
}

/** The message CertificateMetadata { trust { trust_type: CERTIFICATE_TRUST_TYPE_TRUSTED } } of Chromium. */
const trusted = Buffer.from('0a020803', 'hex');

/** @throws VisitorError that names the certificate which is none, or is no authority's */
function authoritiesOf(pem: string): X509Certificate[] {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (texts.length === 0) throw unusable('has no certificate; expected PEM, with lines BEGIN CERTIFICATE and END CERTIFICATE');
  return texts.map((text, i) => {
    let certificate: X509Certificate;
    try {
      certificate = new X509Certificate(text);
    } catch (error) {
      throw unusable(`has a certificate, number ${i + 1}, that can't be read: ${error instanceof Error ? error.message : error}`);
    }
    if (!certificate.ca)
      throw unusable(
        `has a certificate, number ${i + 1}, of ${certificate.subject}, which is no authority (basicConstraints lacks CA:TRUE): give the one that signed it`,
      );
    return certificate;
  });
}

const unusable = (what: string) => new VisitorError('step-failed', `The visitor's CA ${what}.`);
