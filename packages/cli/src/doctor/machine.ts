// Checks what this machine can do, and says how to add what is missing.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { styleText } from 'node:util';
import type { LinkBackend } from '@pronghorn/core/schemas';
import type { Engine } from '@pronghorn/core/vocabulary';
import { findNginx } from '@pronghorn/origin';
import {
  type About,
  canFence,
  checkChrome,
  findBrowsertime,
  findChrome,
  findTransaction,
  launchFirefox,
  resolverLacks,
  surveyBackends,
  uplinkMtu,
} from '@pronghorn/runner';
import { serviceUrl } from '../connection/remote-service.ts';
import { namedToken, type TokenOptions } from '../connection/token.ts';
import { type DataFolder, dataFolder } from '../program/files.ts';
import { plain } from '../program/terminal.ts';
import { busyWords } from './busy.ts';
import { bad, examine, type Finding, good, type Level, note } from './service.ts';

export type DoctorOptions = TokenOptions & { data?: string; engine?: Engine; service?: string };

/** @returns 0 when this machine can measure, or the service works; 1 when something must be fixed first */
export async function doctor(options: DoctorOptions): Promise<number> {
  if (options.service === undefined) {
    const isFit = print(await ofMachine(options));
    console.log(
      isFit ? '\nThis machine can measure.' : `\nThis machine can't measure yet: fix what is marked ${marks.bad}, then run this again.`,
    );
    return isFit ? 0 : 1;
  }
  const findings = await examine({ url: serviceUrl(options.service, '--service'), token: namedToken(options) });
  const works = print(findings);
  const count = (wanted: Level) => findings.filter(({ level }) => level === wanted).length;
  const notes = count('note') === 0 ? '' : `; ${count('note')} to look at`;
  console.log(works ? `\nThe service works${notes}.` : `\n${count('bad')} to fix: what is marked ${marks.bad}.`);
  return works ? 0 : 1;
}

const marks: Record<Level, string> = { good: styleText('green', '✓'), note: styleText('yellow', '•'), bad: styleText('red', '✗') };

/** @returns false where one is bad */
function print(findings: readonly Finding[]): boolean {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  // Names and addresses of a service must not control this terminal.
  for (const { level, subject, text } of findings) console.log(`${marks[level]} ${subject.padEnd(width)}  ${plain(text)}`);
  return findings.every(({ level }) => level !== 'bad');
}

async function ofMachine({ engine, data: folder }: DoctorOptions): Promise<Finding[]> {
  const data = dataFolder(folder);
  const levelOf = (needed: Engine): Level => (engine === needed ? 'bad' : 'note');
  return [
    good('Node', `${process.version}, ${process.execPath}`),
    machine(),
    await chrome('chrome', 'Chrome', 'bad'),
    await chrome('headless-shell', 'Headless shell', 'note'),
    browsertime(levelOf('browsertime')),
    await firefox(levelOf('firefox')),
    transaction(levelOf('transaction')),
    nginx(),
    kernel(),
    receiveBuffer(),
    await link(),
    await uplink(),
    await resolver(),
    fonts(),
    disk(data),
    rights(data),
  ];
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : `${error}`);

function machine(): Finding {
  const cores = cpus();
  const text = `${cores.length} × ${cores[0]?.model.trim() ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB memory`;
  if (cores.length < 2) return note('Machine', `${text}; Chrome needs two cores, so visits will be slow and uneven`);
  const busy = busyWords();
  return busy === undefined ? good('Machine', text) : note('Machine', `${text}; ${busy}`);
}

const browserFinding = (subject: string, product: string, sandbox: boolean, executable: string): Finding => ({
  level: sandbox ? 'good' : 'note',
  subject,
  text: `${product}, ${sandbox ? 'sandboxed' : 'WITHOUT its sandbox (PRONGHORN_NO_SANDBOX=1)'}, ${executable}`,
});

/** @param missing the level where there is none */
async function chrome(browser: 'chrome' | 'headless-shell', subject: string, missing: Level): Promise<Finding> {
  try {
    const executable = findChrome(browser);
    const { product, sandbox } = await checkChrome(browser);
    return browserFinding(subject, product, sandbox, executable);
  } catch (error) {
    return { level: missing, subject, text: messageOf(error) };
  }
}

function browsertime(missing: Level): Finding {
  const subject = 'browsertime';
  try {
    const { version, chromedriver } = findBrowsertime(true);
    return good(subject, `${version}, ${chromedriver}, SpeedIndex from video (for --engine browsertime)`);
  } catch (error) {
    return { level: missing, subject, text: messageOf(error) };
  }
}

/** Only the engine firefox needs it. @param missing the level where there is none */
export async function firefox(missing: Level): Promise<Finding> {
  const subject = 'Firefox';
  try {
    const { product, executable, sandbox, close } = await launchFirefox({
      protocol: 'h2',
      discovery: 'forced',
      forced: [],
      lab: undefined,
    });
    await close();
    return browserFinding(subject, product, sandbox, executable);
  } catch (error) {
    return { level: missing, subject, text: `${messageOf(error)} Only --engine firefox needs it.` };
  }
}

/** The program that sends REST calls. @param missing the level where there is none */
export function transaction(missing: Level): Finding {
  const subject = 'REST calls';
  try {
    const program = findTransaction();
    const { stdout, status, error } = spawnSync(program, ['version'], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} does not run here (${error?.message ?? `exit ${status}`}).`);
    const { go, modules } = JSON.parse(stdout) as About;
    const quic = modules['github.com/quic-go/quic-go']?.replace(/^v/, '') ?? 'unknown';
    return good(subject, `Go ${go.replace(/^go/, '')}, quic-go ${quic}, ${program} (for --engine transaction, load, scenarios, factorial)`);
  } catch (error) {
    return { level: missing, subject, text: messageOf(error) };
  }
}

function nginx(): Finding {
  try {
    const executable = findNginx();
    const { stderr } = spawnSync(executable, ['-V'], { encoding: 'utf8' });
    const version = /nginx\/([\d.]+)/.exec(stderr)?.[1] ?? 'unknown version';
    const tls = /built with (OpenSSL [\d.]+)/.exec(stderr)?.[1] ?? 'unknown TLS library';
    return good('nginx', `${version} with HTTP/3, ${tls} (for the demo origin)`);
  } catch (error) {
    return note('nginx', `${messageOf(error)} Only the demo needs it.`);
  }
}

function kernel(): Finding {
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim() : 'unknown');
  return good('Kernel', `${release()}, TCP congestion control ${read('/proc/sys/net/ipv4/tcp_congestion_control')}`);
}

/** What Chrome requests for its QUIC sockets (kQuicSocketReceiveBufferSize in its net/quic/quic_context.h). */
const chromeReceiveBuffer = 2 ** 20;

/** A server that sends unpaced bursts overruns a smaller buffer: this machine loses the datagrams, and HTTP/3 looks slower than it is. */
function receiveBuffer(): Finding {
  const subject = 'UDP buffer';
  const path = '/proc/sys/net/core/rmem_max';
  const bytes = existsSync(path) ? Number(readFileSync(path, 'utf8')) : undefined;
  const kib = (value: number) => `${Math.round(value / 1024).toLocaleString('en-US')} KiB`;
  if (bytes === undefined) return note(subject, 'unknown: this kernel does not show net.core.rmem_max');
  if (bytes >= chromeReceiveBuffer) return good(subject, `${kib(chromeReceiveBuffer)} for QUIC, as Chrome requests`);
  return note(
    subject,
    `${kib(bytes)} for QUIC, where Chrome requests ${kib(chromeReceiveBuffer)}: bursts may be lost on arrival, as on every Linux with its default. To measure the network alone: sysctl -w net.core.rmem_max=${chromeReceiveBuffer}`,
  );
}

async function link(): Promise<Finding> {
  const subject = 'Link';
  const survey = await surveyBackends();
  const has = (name: LinkBackend) => survey.find((one) => one.name === name)?.can === true;
  const why = (name: LinkBackend) => survey.find((one) => one.name === name)?.can;
  if (has('netem')) return good(subject, 'every condition, by this kernel’s netem (netem)');
  if (has('guest')) return good(subject, `every condition, by netem in a User-Mode Linux guest (guest); netem itself: ${why('netem')}`);
  if (has('veth')) return note(subject, `only the condition native. netem: ${why('netem')}. guest: ${why('guest')}.`);
  const fence = canFence();
  const reach =
    fence === true
      ? 'a fence keeps visits of a service’s runner away from inner addresses'
      : `a service’s runner needs --no-fence here, since nothing can keep its visits away from inner addresses: ${fence}`;
  return note(subject, `only the condition native, on the machine’s own network; ${reach}. veth: ${why('veth')}`);
}

/** The MTU of the machine's own route to the internet, which limits a visit's packets. */
async function uplink(): Promise<Finding> {
  const subject = 'Uplink';
  const { v4, v6 } = await uplinkMtu().catch(() => ({ v4: null, v6: null }));
  const bytes = (mtu: number) => `${mtu.toLocaleString('en-US')} bytes`;
  if (v4 === null && v6 === null) return note(subject, 'no route to the internet: only the demo can be measured');
  const families = [
    ...(v4 === null ? [] : [`IPv4, MTU ${bytes(v4)}`]),
    ...(v6 === null ? [] : [`IPv6, MTU ${bytes(v6)} (each campaign tries whether its hosts can be reached over it)`]),
  ].join('; ');
  const narrow = [v4, v6].some((mtu) => mtu !== null && mtu < 1_500);
  return good(subject, narrow ? `${families}; visits' TCP is limited to it (less than 1,500)` : families);
}

/** All visits of a round should get the same addresses. */
async function resolver(): Promise<Finding> {
  const subject = 'Resolver';
  try {
    const [lack] = await resolverLacks();
    return {
      level: lack === undefined ? 'good' : 'note',
      subject,
      text: lack ?? 'dnsmasq, which gives all visits of a round the same answers',
    };
  } catch (error) {
    return note(subject, `${messageOf(error)} Without it, links measure only the demo.`);
  }
}

function fonts(): Finding {
  const { stdout } = spawnSync('fc-list', [':', 'family'], { encoding: 'utf8' });
  const families = new Set((stdout ?? '').split('\n').filter((line) => line !== ''));
  if (families.size === 0) return bad('Fonts', 'none, so pages have no text. Install fonts-liberation.');
  return good('Fonts', `${families.size} families`);
}

/** Only the service may read the folder: it has webhook addresses with keys, and signing secrets. */
export function rights({ path, database }: Pick<DataFolder, 'path' | 'database'>): Finding {
  const subject = 'Data folder';
  const open = [path, database, `${database}-wal`].flatMap((file) => {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    return (mode & 0o006) === 0 ? [] : [file];
  });
  if ((statSync(path).mode & 0o007) === 0 || open.length === 0) return good(subject, `${path}, closed to other users`);
  return note(
    subject,
    `every user of this machine can read ${open.join(', ')}, and so webhooks and their secrets. Close it: chmod -R o= ${path}`,
  );
}

function disk({ path }: DataFolder): Finding {
  const { bavail, bsize } = statfsSync(path);
  const gib = (bavail * bsize) / 2 ** 30;
  const text = `${gib.toFixed(0)} GiB free for measurements in ${path}`;
  return { level: gib < 1 ? 'note' : 'good', subject: 'Disk', text };
}
