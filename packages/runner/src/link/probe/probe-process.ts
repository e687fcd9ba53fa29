// One end of a probe: a process inside a namespace that does what the runner asks by IPC, and ends with it. Idle otherwise.
import type { Reply, Request, Task, Tasks } from './messages.ts';
import { sendTcp, TcpReceiver } from './tcp.ts';
import { openEcho, ping, sendUdp, UdpReceiver } from './udp.ts';

interface Closable {
  close(): void;
}

const opened = new Map<number, Closable>();
let lastHandle = 0;

function keep<T extends Closable>(thing: T, port: number): { handle: number; port: number } {
  opened.set(++lastHandle, thing);
  return { handle: lastHandle, port };
}

function take<T extends Closable>(handle: number, isOne: (thing: unknown) => thing is T): T {
  const thing = opened.get(handle);
  if (!isOne(thing)) throw new Error(`there is no socket ${handle}`);
  opened.delete(handle);
  return thing;
}

const tasks: { [K in Task]: (ask: Tasks[K]['asks']) => Tasks[K]['answers'] | Promise<Tasks[K]['answers']> } = {
  'receive-udp': async (ask) => {
    const receiver = await UdpReceiver.open(ask);
    return keep(receiver, receiver.port);
  },
  'collect-udp': (ask) => take(ask.handle, (thing) => thing instanceof UdpReceiver).collect(ask),
  'send-udp': sendUdp,
  'echo-udp': async ({ address }) => {
    const socket = await openEcho(address);
    return keep({ close: () => socket.close() }, socket.address().port);
  },
  'ping-udp': ping,
  'receive-tcp': async ({ address }) => {
    const receiver = await TcpReceiver.open(address);
    return keep(receiver, receiver.port);
  },
  'collect-tcp': ({ handle, untilNs }) => take(handle, (thing) => thing instanceof TcpReceiver).collect(untilNs),
  'send-tcp': sendTcp,
  close: ({ handle }) => {
    opened.get(handle)?.close();
    opened.delete(handle);
    return null;
  },
};

/** Tells the compiler that a request's ask belongs to its task. */
const perform = <K extends Task>(task: K, ask: Tasks[K]['asks']) => tasks[task](ask);

process.on('message', async ({ id, task, ask }: Request) => {
  let reply: Reply;
  try {
    reply = { id, answer: await perform(task, ask) };
  } catch (error) {
    reply = { id, error: error instanceof Error ? error.message : String(error) };
  }
  process.send?.(reply);
});
process.on('disconnect', () => process.exit(0));
