// Keeps web pages away from a service that listens on the machine of the one who looks at them.
import { isIP } from 'node:net';
import fp from 'fastify-plugin';
import { ProblemError } from '../../shared/problems.ts';

/**
 * Refuses requests whose Host is a name that this service does not have: a page whose name was made to point here (DNS
 * rebinding) sends its own. An address is no such name. Refuses changes that another web page asks for (CSRF), by their Origin.
 *
 * @param options.allowedHosts further names, without port.
 */
export default fp<{ allowedHosts: readonly string[] }>(async (app, { allowedHosts }) => {
  app.addHook('onRequest', async ({ headers, method }) => {
    const name = URL.parse(`http://${headers.host}`)?.hostname;
    if (name === undefined || !(isLoopbackName(name) || isAddress(name) || allowedHosts.includes(name))) {
      throw new ProblemError(
        'unknown-host',
        `The Host header is "${headers.host ?? ''}"; expected localhost, an IP address${allowedHosts.map((host) => `, ${host}`).join('')}. Ask by one of these.`,
      );
    }
    const { origin } = headers;
    if (
      origin !== undefined &&
      method !== 'GET' &&
      method !== 'HEAD' &&
      URL.parse(origin)?.host !== URL.parse(`http://${headers.host}`)?.host
    ) {
      throw new ProblemError('foreign-origin', `The request comes from a page of ${origin}; expected none, or one of ${headers.host}.`);
    }
  });
});

const isLoopbackName = (name: string) => name === 'localhost' || name.endsWith('.localhost');
const isAddress = (name: string) => isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
