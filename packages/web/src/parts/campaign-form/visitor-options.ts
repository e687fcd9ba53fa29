// A visitor as options of `pronghorn measure`. Pure.
import type { Visitor } from '@pronghorn/core/schemas';

type Said = {
  /** Name and value; true for one that has none. */
  options: [string, string | number | true][];
  /** That options name. */
  files: { name: string; text: string }[];
  /** What no option can say. */
  unsaid: string[];
  /** Of the environment: what the service keeps as secrets. */
  variables: string[];
};

/** The service's secrets are not on other machines: `secret:wall-pass` is read from WALL_PASS there. */
export function visitorOptions(visitor: Visitor): Said {
  const variables = new Set<string>();
  const local = (text: string): string => {
    const [, name] = /^secret:(.+)$/.exec(text) ?? [];
    if (name === undefined) return text;
    const variable = name
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^(?=\d)/, '_');
    variables.add(variable);
    return `env:${variable}`;
  };
  const { userAgent, headers = [], cookies = [], basicAuth, ca, proxy, block = [], firstPartyOnly, ownHosts = [] } = visitor;
  const { clientCertificate, proxyAuth } = visitor;
  const { device, viewport, cpuSlowdown, language, steps, after = [] } = visitor;
  const all: [string, string | number | true | undefined][] = [
    ['user-agent', userAgent],
    ...headers.map(({ name, value }): [string, string] => ['header', `${name}: ${local(value)}`]),
    ...cookies
      .filter(({ domain }) => domain === undefined)
      .map(({ name, value }): [string, string] => ['cookie', `${name}=${local(value)}`]),
    ['basic-auth', basicAuth && `${basicAuth.user}:${local(basicAuth.password)}`],
    ['ca', ca === undefined ? undefined : 'ca.pem'],
    ['client-cert', clientCertificate && local(clientCertificate)],
    ['proxy', proxy],
    ['proxy-auth', proxyAuth && `${proxyAuth.user}:${local(proxyAuth.password)}`],
    ...block.map((host): [string, string] => ['block', host]),
    ['first-party-only', firstPartyOnly === true ? true : undefined],
    ...ownHosts.map((host): [string, string] => ['own-host', host]),
    ['device', device],
    ['viewport', viewport && `${viewport.width}x${viewport.height}`],
    ['cpu-slowdown', cpuSlowdown],
    ['language', language],
    ['steps', steps === undefined ? undefined : 'steps.json'],
    ...after.map((url): [string, string] => ['after', url]),
  ];
  const said = steps?.map((step) => ({
    ...step,
    ...('secret' in step && step.secret !== undefined ? { secret: local(step.secret) } : {}),
    ...('value' in step ? { value: local(step.value) } : {}),
  }));
  return {
    options: all.flatMap(([name, value]): Said['options'] => (value === undefined ? [] : [[name, value]])),
    files: [
      ...(ca === undefined ? [] : [{ name: 'ca.pem', text: ca.trimEnd() }]),
      ...(said === undefined ? [] : [{ name: 'steps.json', text: JSON.stringify(said, null, 2) }]),
    ],
    unsaid: [
      ...(cookies.some(({ domain }) => domain !== undefined) ? ['cookies of other hosts than the page’s'] : []),
      ...(viewport?.scale === undefined ? [] : ['the scale of the viewport']),
    ],
    variables: [...variables],
  };
}
