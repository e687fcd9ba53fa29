// What never becomes a request, since it can't be read as HTTP, is answered by problem details too.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { newRequestId } from '../../../logging.ts';
import { ProblemError } from '../../../problems.ts';

/** Answers on the bare connection, and ends it. */
export function answerUnreadable(this: FastifyInstance, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, ...problem } = problemOf(error).toProblem();
  const body = JSON.stringify({ ...problem, status });
  const id = newRequestId();
  this.log.debug({ event: 'unreadable', request: id, status, from: socket.remoteAddress }, problem.detail);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\nX-Request-Id: ${id}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function problemOf({ code, message }: NodeJS.ErrnoException): ProblemError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ProblemError('headers-too-large', 'URL and headers have more than 16 KB together. Ask with fewer or shorter parameters.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProblemError('malformed-request', 'The request did not come to its end in time. Send it again.');
    default:
      return new ProblemError('malformed-request', `What came is no HTTP request (${message}).`);
  }
}
