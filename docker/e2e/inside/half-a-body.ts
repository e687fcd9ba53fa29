// Announces a body to the gateway at { port } and sends half of it. Prints the status of the answer, if any.
import { request } from 'node:https';

const { port, host } = JSON.parse(process.argv[2] ?? '') as { port: number; host: string };
const headers = { host: `${host}:${port}`, 'content-type': 'application/json', 'content-length': 200_000 };
const asking = request({ host: '127.0.0.1', port, path: '/api/v1/campaigns', method: 'POST', headers, rejectUnauthorized: false });
asking.once('response', ({ statusCode }) => {
  console.log(statusCode);
  process.exit();
});
asking.write(' '.repeat(100_000));
