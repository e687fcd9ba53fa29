// The pages that misbehave, one for each way in which a visit can go wrong: what they are, and where.
import { domain } from './hosts.ts';

/** Paths on odd.pronghorn.test, by name. What each does stands in upstream/odd-server.ts and in nginx/README.md. */
export const oddPaths = {
  status404: '/status/404',
  status500: '/status/500',
  status503: '/status/503',
  endlessDocument: '/endless.html',
  endlessImage: '/endless-image.html',
  silent: '/silent',
  cutOff: '/cut-off.html',
  download: '/download',
  manyImages: '/many-images.html',
  redirect: '/redirect',
  redirectLoop: '/redirect-loop',
  scriptRedirect: '/script-redirect.html',
  metaRefresh: '/meta-refresh.html',
  infiniteLoop: '/infinite-loop.html',
  alert: '/alert.html',
  nonAscii: '/straße/日本語.html',
  empty: '/empty.html',
  animation: '/animation.html',
  openStream: '/open-stream.html',
} as const;
export type OddPage = keyof typeof oddPaths;

/** Everything endless ends after this: a forgotten tab must not hold a connection for ever. */
export const endlessMs = 120_000;

/** Hosts that refuse something, by name: protocols, to be trusted, or more than so many requests on a connection. */
const oddHosts = { h1only: 'h1only', h2only: 'h2only', selfSigned: 'selfsigned', fewRequests: 'few-requests' } as const;

/** URL of every odd page and host. */
export function oddUrls(port: number): Record<OddPage | keyof typeof oddHosts, string> {
  const pages = Object.entries(oddPaths).map(([name, path]) => [name, `https://odd.${domain}:${port}${path}`]);
  const others = Object.entries(oddHosts).map(([name, label]) => [name, `https://${label}.${domain}:${port}/`]);
  return Object.fromEntries([...pages, ...others]);
}
