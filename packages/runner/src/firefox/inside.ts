// Runs in Firefox's own code, for what WebDriver BiDi lacks: host names, authorities, connections.
import type { OriginTrust } from '../chrome/flags.ts';
import type { Bidi } from './launch-firefox.ts';

/** The connection that an answer came over. */
export interface Carrier {
  /** Id of Firefox's channel, the same for all redirects of a request. BiDi's id begins with it. */
  request: string;
  redirectCount: number;
  localAddress: string;
  localPort: number;
  remoteAddress: string;
  remotePort: number;
}

export interface Inside {
  sandbox: boolean;
  /** Connections of all answers since the start, in order. */
  carriers(): Promise<Carrier[]>;
  /** Called when a process of a page went away by itself. */
  onCrash(listener: () => void): void;
  /** Runs an expression in Firefox's own window. @returns its value, or what its promise comes to, as far as JSON has it */
  run<Value>(expression: string): Promise<Value>;
}

/** @throws Error where Firefox gives no access, or a host of the lab can't be had */
export async function openInside(bidi: Bidi, lab: OriginTrust | undefined): Promise<Inside> {
  if (lab !== undefined && lab.ca === undefined)
    throw new Error('Firefox can’t accept a certificate by its key, as Chrome can: measure folders and local servers with puppeteer.');
  const { result } = await bidi.send('browsingContext.getTree', { 'moz:scope': 'chrome' } as never);
  const context = result.contexts[0]?.context;
  if (context === undefined) throw new Error('Firefox has no window of its own.');
  const run: Inside['run'] = async (expression) => {
    const { result: ran } = await bidi.send('script.evaluate', {
      expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`,
      target: { context },
      awaitPromise: true,
    });
    if (ran.type === 'exception') throw new Error(`Firefox's own code: ${ran.exceptionDetails.text}`);
    return JSON.parse((ran.result as { value: string }).value);
  };
  const authority = lab?.ca?.replace(/-----[^-]+-----|\s/g, '') ?? null;
  const sandbox = await run<boolean>(`(${prepare})(${JSON.stringify(hostsOf(lab))}, ${JSON.stringify(authority)})`);
  await bidi.send('session.subscribe', { events: ['script.message'] });
  await bidi.send('script.callFunction', {
    functionDeclaration: hearCrashes,
    arguments: [{ type: 'channel', value: { channel: crashed } }],
    target: { context },
    awaitPromise: false,
  });
  return {
    sandbox,
    run,
    carriers: () => run('globalThis.pronghornCarriers'),
    onCrash: (listener) => void bidi.on('script.message', ({ channel }) => channel === crashed && listener()),
  };
}

/**
 * Reads Chrome's rules: names with their address, null where they have none.
 *
 * @throws Error for a rule that Firefox has nothing for: a port, or a pattern
 */
export function hostsOf(lab: Pick<OriginTrust, 'hostRules'> | undefined): [name: string, address: string | null][] {
  return (lab?.hostRules ?? '').split(',').flatMap((rule): [string, string | null][] => {
    const [word, name = '', target = ''] = rule.trim().split(' ');
    if (word !== 'MAP') return [];
    const [, address = '', port = '443'] = /^\[?([\d.]+|[\da-f:]+(?=\])|~NOTFOUND)\]?(?::(\d+))?$/i.exec(target) ?? [];
    if (name.includes('*') || address === '' || port !== '443')
      throw new Error(`Firefox can't follow the rule "${rule}": it maps whole names to addresses, and no ports.`);
    return [[name, address === '~NOTFOUND' ? null : address]];
  });
}

const crashed = 'pronghorn-crashed';
const hearCrashes = `(tell) => {
  globalThis.pronghornCrashObserver = (found) => {
    if (found.QueryInterface(Ci.nsIPropertyBag2).hasKey('abnormal')) tell('crashed');
  };
  Services.obs.addObserver(globalThis.pronghornCrashObserver, 'ipc:content-shutdown');
}`;

/** Notes connections as answers come: a channel forgets its own when it ends. */
const prepare = `async (hosts, authority) => {
  const names = Cc['@mozilla.org/network/native-dns-override;1'].getService(Ci.nsINativeDNSResolverOverride);
  for (const [name, address] of hosts) names.addIPOverride(name, address ?? 'N/A');
  if (authority !== null) Cc['@mozilla.org/security/x509certdb;1'].getService(Ci.nsIX509CertDB).addCertFromBase64(authority, 'CT,,');
  // Firefox keeps forced HTTP/3 with Alt-Svc, and ignores it until it has read that from the profile. The first request starts the reading, here one to
  // an unused port; no event reports its end.
  await fetch('https://127.0.0.1:2/').catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 300));
  const carriers = (globalThis.pronghornCarriers = []);
  globalThis.pronghornObserver = (channel) => {
    try {
      const { localAddress, localPort, remoteAddress, remotePort } = channel.QueryInterface(Ci.nsIHttpChannelInternal);
      const { redirectCount } = channel.QueryInterface(Ci.nsITimedChannel);
      carriers.push({ request: String(ChannelWrapper.get(channel).id), redirectCount, localAddress, localPort, remoteAddress, remotePort });
    } catch {} // it came over none
  };
  Services.obs.addObserver(globalThis.pronghornObserver, 'http-on-examine-response');
  return Cc['@mozilla.org/sandbox/sandbox-settings;1'].getService(Ci.mozISandboxSettings).effectiveContentSandboxLevel > 0;
}`;
