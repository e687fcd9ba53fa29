// Which networks an operator may open to visits.
import { type Network, networksOverlap, parseNetwork } from '@pronghorn/core/network';

/**
 * Reads a network that an operator opens to visits.
 *
 * @throws Error when it is not a network, or one that can't be opened
 */
export function parseAllowedNetwork(text: string): Network {
  const network = parseNetwork(text);
  for (const [closed, why] of neverOpened)
    if (networksOverlap(network, parseNetwork(closed)) && network.prefix > 0) throw new Error(why(text));
  return network;
}

const neverOpened: [string, (text: string) => string][] = ['127.0.0.0/8', '::1/128'].map((loopback) => [
  loopback,
  (text) =>
    `Loopback (“${text}”) can't be opened: inside a visit it is the visit's own. Let the server listen on an address of the machine and allow that one by itself.`,
]);
