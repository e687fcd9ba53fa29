// Shapes in a User-Mode Linux guest, whose kernel has netem where this one has none: it bridges two packet sockets, each on one half of
// a pair of devices whose other half is an end of the link.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tools } from '../../chrome/tools.ts';
import { endsWithUs, rightless } from '../../machine/ends-with-us.ts';
import { Namespace } from '../namespace.ts';
import { run, toolPath } from '../run.ts';
import { linkDevice, macs, type Shaper } from '../shaper.ts';
import { GuestConsole } from './guest-console.ts';
import { putLines } from './put-lines.ts';
import { raise } from './veth.ts';

/** In the guest: vec0 is the visit's side, so what the visit sends leaves by the far one. */
const devices = { up: 'vec1', down: 'vec0' } as const;

/** Whoever runs the guest has no files and no other processes. */
const guestUid = 47_814;

const folder = () => join(tools(), 'link-guest');
const openSockets = fileURLToPath(new URL('../guest/sockets.pl', import.meta.url));

/** Whether a guest can be started here. @returns true, or why not and what to do */
export async function canGuest(): Promise<true | string> {
  try {
    accessSync(join(folder(), 'linux'), constants.X_OK);
    accessSync(join(folder(), 'initrd'), constants.R_OK);
  } catch {
    return `there is no guest kernel in ${folder()} (packages/runner/src/link/guest/install.sh ${folder()} brings it, on Debian and amd64)`;
  }
  try {
    for (const program of ['perl', 'ethtool']) toolPath(program);
    return true;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
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
    for (const end of [near, far]) await end.run(['ip', 'link', 'delete', linkDevice]).catch(() => '');
    await home.close();
  };
  try {
    const ends = [
      { end: near, socket: 'near0', mac: macs.near },
      { end: far, socket: 'far0', mac: macs.far },
    ];
    const lines = ends.flatMap(({ end, socket, mac }) => [
      `link add name ${socket} type veth peer name ${linkDevice} address ${mac} netns ${end.pid}`,
      `link set ${socket} addrgenmode none up`,
    ]);
    await home.run(['ip', '-batch', '-'], `${lines.join('\n')}\n`);
    await Promise.all(ends.map(({ end }) => raise(end)));
    // A packet socket hands over what a device has not done yet: checksums have to be there already.
    await Promise.all(ends.map(({ end }) => end.run(['ethtool', '-K', linkDevice, 'tx', 'off'])));
    const sockets = [toolPath('perl'), openSockets, ...ends.map(({ socket }) => socket)];
    guest = await GuestConsole.start([...home.enter, ...sockets, ...(await firstInLine()), ...unprivileged, ...kernelLine], folder());
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

/** Other work of the machine would delay packets. Not every container allows it. */
async function firstInLine(): Promise<string[]> {
  const chrt = ['chrt', '--fifo', '10'];
  return await run([...chrt, 'true']).then(
    () => chrt,
    () => [],
  );
}

/** The guest needs no right at all: what it uses is open already. */
const unprivileged = endsWithUs('setpriv', [...rightless, '--reuid', `${guestUid}`, '--regid', `${guestUid}`, '--clear-groups']);

/** How the guest's kernel is started, in its folder. With 64 MB it comes up without IPv6 every second time, and devices can't be set up. */
export const guestKernel = [
  ...['env', 'LD_LIBRARY_PATH=lib', './linux', 'mem=256M', 'seccomp=on', 'initrd=initrd', 'panic=-1', 'quiet'],
  // Where it would put a pid file and a control socket, it can't: nothing of it stays, nobody else controls it.
  'uml_dir=/proc/',
  // Its console, with what it says when it can't go on, is standard error; its serial line are the requests and answers.
  ...['console=tty0', 'con=null', 'con0=null,fd:2', 'ssl=null', 'ssl0=fd:0,fd:1'],
] as const;

const kernelLine = [...guestKernel, 'vec0:transport=fd,fd=SOCKET0,depth=64', 'vec1:transport=fd,fd=SOCKET1,depth=64'];
