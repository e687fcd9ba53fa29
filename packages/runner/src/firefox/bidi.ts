// WebDriver BiDi with a Firefox that may stand in another network namespace.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { BidiConnection } from 'puppeteer-core/internal/bidi/Connection.js';
import { createIncrementalIdGenerator } from 'puppeteer-core/internal/util/incremental-id-generator.js';
import WebSocket from 'ws';

export type Bidi = BidiConnection;

const connectMs = 10_000;
const answerMs = 60_000;
const mostBytes = 256 * 2 ** 20;

/**
 * Connects to the port of a Firefox on its own loopback.
 *
 * @param enter what the Firefox itself was started behind: a program there opens the connection, and hands it to this process
 * @param onClosed called when the connection ends, whoever ended it
 * @throws Error when nobody answers there
 */
export async function connectBidi(port: number, enter: readonly string[], onClosed: () => void): Promise<Bidi> {
  const socket = await socketBehind(enter, port);
  const url = `ws://127.0.0.1:${port}/session`;
  const webSocket = new WebSocket(url, {
    createConnection: () => socket,
    perMessageDeflate: false,
    maxPayload: mostBytes,
    handshakeTimeout: connectMs,
  });
  await new Promise<void>((resolve, reject) => webSocket.once('open', resolve).once('error', reject));
  // What breaks the connection off closes it.
  webSocket.on('error', () => {});
  const transport = {
    send: (message: string) => webSocket.send(message),
    close: () => webSocket.terminate(),
    onmessage: (_message: string) => {},
    onclose: () => {},
  };
  webSocket.on('message', (message) => transport.onmessage(String(message)));
  webSocket.on('close', () => {
    transport.onclose();
    onClosed();
  });
  return new BidiConnection(url, transport, createIncrementalIdGenerator(), 0, answerMs, () => undefined);
}

/** A socket stays in the namespace in which it was made, whoever has it. */
async function socketBehind(enter: readonly string[], port: number): Promise<Socket> {
  const [program = '', ...args] = [
    ...enter,
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(new URL('./connect-program.ts', import.meta.url)),
    `${port}`,
  ];
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], timeout: connectMs });
  try {
    return await new Promise<Socket>((resolve, reject) => {
      child.once('message', (_, socket) => resolve(socket as Socket));
      child.on('error', reject);
      // Its end may be told before what it sent; that the channel ended is told after.
      child.once('disconnect', () => reject(new Error(`Nobody answers at port ${port} of Firefox.`)));
    });
  } finally {
    if (child.connected) child.disconnect();
  }
}
