// Queries for HTTPS records and their answers, as bytes: RFC 1035, section 4, and RFC 9460, section 2.2. Node's own resolver has no type 65.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ServiceBinding } from '@pronghorn/core/adoption';
import type { LaunchContext } from '../machine/unprivileged.ts';

const httpsType = 65;
const inClass = 1;
/** Keys of service parameters: RFC 9460, section 14.3.2. */
const [alpnKey, portKey] = [1, 3];

/** @param id which the answer repeats @throws Error for a name that no query can ask for */
export function httpsQuery(id: number, name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(label, 'latin1'));
  if (labels.some(({ length }) => length === 0 || length > 63) || name.length > 253)
    throw new Error(`${name} is not a host name: expected labels of 1 to 63 bytes, 253 bytes in all.`);
  const header = Buffer.alloc(12);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(0x0100, 2); // recursion desired
  header.writeUInt16BE(1, 4); // one question
  const question = Buffer.alloc(5);
  question.writeUInt16BE(httpsType, 1);
  question.writeUInt16BE(inClass, 3);
  return Buffer.concat([header, ...labels.flatMap((label) => [Buffer.from([label.length]), label]), question]);
}

export interface HttpsAnswer {
  id: number;
  /** The rest has to be queried over TCP. */
  truncated: boolean;
  /** 0: the name is known; 3: there is no such name. */
  code: number;
  /** In service mode; leaves out aliases, as Chrome does, and targets that are not host names. */
  bindings: ServiceBinding[];
}

/** @throws RangeError when it ends before it should */
export function readHttpsAnswer(message: Buffer): HttpsAnswer {
  const flags = message.readUInt16BE(2);
  const [questions, answers] = [message.readUInt16BE(4), message.readUInt16BE(6)];
  let at = 12;
  for (let i = 0; i < questions; i++) at = nameAt(message, at).end + 4;
  const bindings: ServiceBinding[] = [];
  for (let i = 0; i < answers; i++) {
    const { name: owner, end } = nameAt(message, at);
    const [type, length] = [message.readUInt16BE(end), message.readUInt16BE(end + 8)];
    const value = message.subarray(end + 10, end + 10 + length);
    if (value.length < length) throw new RangeError('The answer ends within a record.');
    at = end + 10 + length;
    if (type !== httpsType) continue; // a CNAME on the way
    const binding = bindingOf(value, owner);
    if (binding.priority > 0 && hostName.test(binding.target)) bindings.push(binding);
  }
  return { id: message.readUInt16BE(0), truncated: (flags & 0x0200) !== 0, code: flags & 15, bindings };
}

/** Bytes of DNS may be anything, and these are shown. Empty: the owner's own. */
const hostName = /^[\w.*-]*$/;
const printable = /^[!-~]+$/;

function bindingOf(value: Buffer, owner: string): ServiceBinding {
  const { name, end } = nameAt(value, 2);
  const binding = {
    priority: value.readUInt16BE(0),
    target: name === owner ? '' : name,
    alpn: [] as string[],
    port: null as number | null,
  };
  for (let at = end; at < value.length; ) {
    const [key, length] = [value.readUInt16BE(at), value.readUInt16BE(at + 2)];
    const parameter = value.subarray(at + 4, at + 4 + length);
    if (key === portKey) binding.port = parameter.readUInt16BE(0);
    if (key === alpnKey) {
      for (let from = 0; from < parameter.length; from += 1 + parameter.readUInt8(from)) {
        const name = parameter.toString('latin1', from + 1, from + 1 + parameter.readUInt8(from));
        if (printable.test(name)) binding.alpn.push(name);
      }
    }
    at += 4 + length;
  }
  return binding;
}

/** A name, in lower case, and where it ends. Pointers lead back in the message; a loop of them ends as an error. */
function nameAt(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let [at, end] = [start, -1];
  for (let steps = 0; steps < 128; steps++) {
    const length = message.readUInt8(at);
    if (length === 0) return { name: labels.join('.').toLowerCase(), end: end < 0 ? at + 1 : end };
    if (length >= 0xc0) {
      if (end < 0) end = at + 2;
      at = message.readUInt16BE(at) & 0x3fff;
      continue;
    }
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  throw new RangeError('A name of the answer has no end.');
}

const program = fileURLToPath(new URL('https-records-program.ts', import.meta.url));
/** Hundreds of names, of which some are never answered. */
const atMostMs = 60_000;

/**
 * @param names as `httpsRecordName` makes them
 * @param place where the program is started: nameservers are asked from there
 * @returns the bindings of each name that was answered, an empty list if it has none; names without an answer are missing
 */
export async function askHttpsRecords(names: readonly string[], { enter, fence }: LaunchContext): Promise<Map<string, ServiceBinding[]>> {
  if (names.length === 0) return new Map();
  const [command = '', ...args] = [...enter, ...(fence?.around ?? []), process.execPath, '--disable-warning=ExperimentalWarning', program];
  const output = await new Promise<string>((resolve) => {
    const child = execFile(command, args, { timeout: atMostMs, killSignal: 'SIGKILL', maxBuffer: 16 * 2 ** 20 }, (error, stdout) =>
      // No answer: discovery goes on by Alt-Svc.
      resolve(error === null ? stdout : '{}'),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(JSON.stringify(names));
  });
  return new Map(Object.entries(JSON.parse(output) as Record<string, ServiceBinding[]>));
}
