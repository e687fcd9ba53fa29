// Tries TCP connections to [{ host, port }]. Prints which succeeded, as [true, false, …].
import { connect } from 'node:net';

const places: { host: string; port: number }[] = JSON.parse(process.argv[2] ?? '');
const reached = await Promise.all(
  places.map(
    ({ host, port }) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host, port, timeout: 3_000 });
        const end = (answer: boolean) => {
          socket.destroy();
          resolve(answer);
        };
        socket.once('connect', () => end(true)).once('error', () => end(false));
        socket.once('timeout', () => end(false));
      }),
  ),
);
console.log(JSON.stringify(reached));
