// The origin's certificates: a CA and a leaf for the demo hosts, and one without a signer. The openssl program makes them
// at the first start, kept in the state folder, renewed when they are about to expire.
import { execFile } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { domain } from '../hosts/hosts.ts';

const run = promisify(execFile);

export interface Certificates {
  /** The CA's certificate; its key was thrown away, so nothing else can ever be signed with it. */
  caFile: string;
  leaf: { certificate: string; key: string };
  /** Signed by no CA, with its own key, for the host that no client should accept. */
  selfSigned: { certificate: string; key: string };
  /** Base64 of SHA-256 of the leaf's SubjectPublicKeyInfo, as Chrome's --ignore-certificate-errors-spki-list wants it. */
  spki: string;
}

/** Chrome refuses leaves that are valid for more than 397 days. */
const validDays = 365;
const renewBeforeDays = 30;
const dayMs = 24 * 3600 * 1000;

/** Certificates with at least a month to go, from `directory` or new. Several processes may call it at once. */
export async function ensureCertificates(directory: string, now = new Date()): Promise<Certificates> {
  await mkdir(directory, { recursive: true });
  return (await newest(directory, now)) ?? (await make(directory, now));
}

/** Each set is a folder whose name says how long it is good; newer ones come later in the alphabet. */
async function newest(directory: string, now: Date): Promise<Certificates | undefined> {
  const sets = (await readdir(directory)).filter((name) => /^\d{4}-\d{2}-\d{2}-/.test(name)).sort();
  const good = sets.filter((name) => Date.parse(name.slice(0, 10)) - now.getTime() > renewBeforeDays * dayMs);
  for (const name of sets) {
    if (Date.parse(name.slice(0, 10)) < now.getTime()) await rm(join(directory, name), { recursive: true, force: true });
  }
  const last = good.at(-1);
  return last ? read(join(directory, last)) : undefined;
}

async function read(set: string): Promise<Certificates> {
  const leaf = { certificate: join(set, 'leaf.crt'), key: join(set, 'leaf.key') };
  return {
    caFile: join(set, 'ca.crt'),
    leaf,
    selfSigned: { certificate: join(set, 'self-signed.crt'), key: join(set, 'self-signed.key') },
    spki: spkiHash(await readFile(leaf.certificate, 'utf8')),
  };
}

/** SHA-256 of a certificate's SubjectPublicKeyInfo, base64 (RFC 7469 §2.4). */
export function spkiHash(pem: string): string {
  const spki = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('base64');
}

/** Made in a folder beside, then moved into place whole: another process sees all of a set or nothing. */
async function make(directory: string, now: Date): Promise<Certificates> {
  const draft = await mkdtemp(join(directory, '.draft-'));
  try {
    const openssl = (...args: string[]) => runOpenssl(draft, 'openssl.cnf', "the demo origin's certificates", args);
    await writeFile(join(draft, 'openssl.cnf'), configuration);
    await Promise.all([
      openssl(...selfSigned('ca', 'Pronghorn demo CA', validDays, 'ca.key', 'ca.crt')),
      openssl('req', '-new', ...newKey, '-subj', `/CN=${domain}`, '-keyout', 'leaf.key', '-out', 'leaf.csr'),
      openssl(...selfSigned('leaf', `selfsigned.${domain}`, validDays, 'self-signed.key', 'self-signed.crt')),
    ]);
    const signing = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'openssl.cnf', '-extensions', 'leaf'];
    await openssl('x509', '-req', '-in', 'leaf.csr', ...signing, '-days', String(validDays), '-out', 'leaf.crt');
    for (const scaffold of ['ca.key', 'ca.srl', 'leaf.csr', 'openssl.cnf']) await rm(join(draft, scaffold), { force: true });
    const until = new Date(now.getTime() + validDays * dayMs).toISOString().slice(0, 10);
    const set = join(directory, `${until}-${draft.slice(-6)}`);
    await chmod(draft, 0o755); // the CA is for Chrome and curl too; the keys stay their owner's
    await rename(draft, set);
    return await read(set);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const configuration = `
[req]
distinguished_name = name
[name]
[ca]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
nameConstraints = critical, permitted;DNS:${domain}
[leaf]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:${domain}, DNS:*.${domain}
`;

interface LocalCertificate {
  certificate: string;
  key: string;
  /** Base64 SHA-256 of its public key. */
  spki: string;
}

/** A certificate for the names of local sites: it is self-signed, lasts for one run, and clients trust it by its key. @throws {Error} with openssl's own words */
export async function makeCertificate(folder: string, names: readonly string[]): Promise<LocalCertificate> {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  await writeFile(
    join(folder, 'certificate.cnf'),
    `[req]\ndistinguished_name = name\n[name]\n[leaf]\nkeyUsage = critical, digitalSignature\nextendedKeyUsage = serverAuth\n` +
      `subjectAltName = ${names.map((name) => `DNS:${name}`).join(', ')}\n`,
  );
  const made = selfSigned('leaf', 'Pronghorn local sites', 30, key, certificate);
  await runOpenssl(folder, 'certificate.cnf', `a certificate for ${names[0]}`, made);
  return { certificate, key, spki: spkiHash(await readFile(certificate, 'utf8')) };
}

/** Arguments that make a key, and a certificate signed by it. */
const selfSigned = (extensions: string, name: string, days: number, key: string, certificate: string): string[] => [
  ...['req', '-x509', ...newKey, '-days', String(days), '-extensions', extensions],
  ...['-subj', `/CN=${name}`, '-keyout', key, '-out', certificate],
];

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** The machine's openssl.cnf may forbid curves or add extensions: the file in the folder replaces it. */
async function runOpenssl(folder: string, configurationFile: string, what: string, args: readonly string[]): Promise<void> {
  await run('openssl', args, { cwd: folder, env: { ...process.env, OPENSSL_CONF: configurationFile } }).catch((error: Error) => {
    throw new Error(`openssl could not make ${what}: ${error.message}; is the package openssl installed?`);
  });
}
