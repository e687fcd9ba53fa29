// Shapes in a User-Mode Linux guest, whose kernel has netem where this one has none: it bridges two taps, of which each end is given one.
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { tools } from '../../chrome/tools.ts';
import { Namespace } from '../namespace.ts';
import { run } from '../run.ts';
import { linkDevice, macs, type Shaper } from '../shaper.ts';
import { GuestConsole } from './guest-console.ts';
import { putLines } from './put-lines.ts';
import { raise } from './veth.ts';

/** In the guest: near is the visit's side, so what the visit sends leaves by the far one. */
const devices = { up: 'vec1', down: 'vec0' } as const;

const taps = { near: 'near0', far: 'far0' } as const;

/** Packets that may wait for the guest to read them: 25 ms at 1 Gbit/s. The kernel's 500 lost some of a burst. */
const tapQueue = 2_000;

/** Whoever runs the guest has no files and no other processes. */
const guestUid = 47_814;

const folder = () => join(tools(), 'link-guest');

/** Whether a guest can be started here. @returns true, or why not and what to do */
export async function canGuest(): Promise<true | string> {
  try {
    accessSync(join(folder(), 'linux'), constants.X_OK);
    accessSync(join(folder(), 'initrd'), constants.R_OK);
  } catch {
    return `there is no guest kernel in ${folder()} (packages/runner/src/link/guest/install.sh ${folder()} brings it, on Debian and amd64)`;
  }
  try {
    accessSync('/dev/net/tun', constants.R_OK | constants.W_OK);
  } catch {
    return 'there is no /dev/net/tun, through which a guest’s packets go (modprobe tun; a container needs --device /dev/net/tun)';
  }
  return true;
}

/**
 * Starts a guest between two namespaces.
 *
 * @throws Error with the guest's last words when it doesn't start
 */
export async function openGuest(near: Namespace, far: Namespace): Promise<Shaper> {
  const can = await canGuest();
  if (can !== true) throw new Error(`The link’s guest can’t be started: ${can}.`);
  const home = await Namespace.create('guest');
  let guest: GuestConsole | undefined;
  const close = async () => {
    await guest?.close();
    // Taps outlive the guest; those that were not moved go with its namespace.
    await Promise.all([near, far].map((end) => end.run(['ip', 'link', 'delete', linkDevice]).catch(() => {})));
    await home.close();
  };
  try {
    const user = unprivileged();
    const owner = user.uid === 0 ? '' : ` user ${user.uid}`;
    const lines = Object.values(taps).flatMap((tap) => [
      `tuntap add dev ${tap} mode tap${owner}`,
      `link set ${tap} txqueuelen ${tapQueue} addrgenmode none up`,
    ]);
    await home.run(['ip', '-batch', '-'], `${lines.join('\n')}\n`);
    guest = await GuestConsole.start([...home.enter, ...(await firstInLine()), ...user.become, ...kernelLine()], folder());
    await Promise.all([give(home, taps.near, near, macs.near), give(home, taps.far, far, macs.far)]);
    return shaperOn(guest, close);
  } catch (error) {
    await close();
    throw error;
  }
}

function shaperOn(guest: GuestConsole, close: () => Promise<void>): Shaper {
  const tc = (words: string) => guest.ask(`tc ${plain(words)}`);
  return {
    backend: 'guest',
    kernel: guest.kernel,
    devices,
    apply: (lines) => putLines(tc, devices, lines),
    show: () => tc('-s qdisc show'),
    close,
  };
}

/** The guest's shell reads the line: nothing in it may mean something there. */
function plain(line: string): string {
  if (/^[\w .:%,=+-]+$/.test(line)) return line;
  throw new Error(`The line “${line}” is not one of tc: only letters, digits and . : % , = + - _ are expected.`);
}

/** Moves a tap, which the guest goes on using, to an end of the link. */
async function give(home: Namespace, tap: string, end: Namespace, mac: string): Promise<void> {
  await home.run(['ip', 'link', 'set', tap, 'netns', String(end.pid), 'name', linkDevice, 'address', mac]);
  await raise(end);
}

/** Other work of the machine would delay packets. Not every container allows it. */
async function firstInLine(): Promise<string[]> {
  const chrt = ['chrt', '--fifo', '10'];
  return await run([...chrt, 'true']).then(
    () => chrt,
    () => [],
  );
}

/** The guest needs no right but that of its taps. Where only root may open /dev/net/tun, it stays root, without root's capabilities. */
function unprivileged(): { uid: number; become: string[] } {
  const bare = ['setpriv', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--pdeathsig', 'KILL'];
  const forAll = (statSync('/dev/net/tun').mode & 0o006) === 0o006;
  if (!forAll) return { uid: 0, become: [...bare, '--'] };
  return { uid: guestUid, become: [...bare, '--reuid', `${guestUid}`, '--regid', `${guestUid}`, '--clear-groups', '--'] };
}

function kernelLine(): string[] {
  const tap = (name: string) => `transport=tap,ifname=${name},depth=64`;
  return [
    ...['env', 'LD_LIBRARY_PATH=lib', './linux', 'mem=256M', 'seccomp=on', 'initrd=initrd', 'panic=-1', 'quiet'],
    // Where it would put a pid file and a control socket, it can't: nothing of it stays, nobody else controls it.
    'uml_dir=/proc/',
    // Its console, with what it says when it can't go on, is standard error; its serial line are the requests and answers.
    ...['console=tty0', 'con=null', 'con0=null,fd:2', 'ssl=null', 'ssl0=fd:0,fd:1'],
    ...[`vec0:${tap(taps.near)}`, `vec1:${tap(taps.far)}`],
  ];
}
