// The preferences a Firefox is started with: what makes it quiet and repeatable, and what decides its protocol.
import type { Discovery, Protocol } from '@pronghorn/core/vocabulary';

export type Preferences = Readonly<Record<string, boolean | number | string>>;

export interface PreferenceChoices {
  protocol: Protocol;
  discovery: Discovery;
  /** host:port of all hosts that must speak HTTP/3 from the first request. */
  forced: readonly string[];
  /** True if hosts have certificates of the demo origin's own CA. */
  lab: boolean;
  /** Writes a qlog of each QUIC connection into the folder for temporary files. */
  qlog?: boolean;
}

/** A service of Firefox's own that has an address, and must have none that leads anywhere. */
const nowhere = '';

/** Disables background work: updates, lists, measurements and pages of Firefox's own, each of which opens a connection. */
const quiet: Preferences = {
  'app.normandy.enabled': false,
  // The tab's icon is no part of the page, and its request is not reported.
  'browser.chrome.site_icons': false,
  'browser.newtabpage.enabled': false,
  'browser.newtabpage.activity-stream.feeds.section.topstories': false,
  'browser.newtabpage.activity-stream.feeds.topsites': false,
  'browser.region.network.url': nowhere,
  'browser.region.update.enabled': false,
  'browser.safebrowsing.blockedURIs.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.safebrowsing.provider.google4.updateURL': nowhere,
  'browser.safebrowsing.provider.mozilla.updateURL': nowhere,
  'browser.search.update': false,
  'browser.startup.homepage': 'about:blank',
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'browser.tabs.firefox-view': false,
  'browser.topsites.contile.enabled': false,
  'browser.translations.enable': false,
  'browser.urlbar.quicksuggest.enabled': false,
  'browser.urlbar.merino.endpointURL': nowhere,
  'datareporting.healthreport.uploadEnabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'datareporting.usage.uploadEnabled': false,
  'dom.push.connection.enabled': false,
  'extensions.blocklist.enabled': false,
  'extensions.getAddons.cache.enabled': false,
  'extensions.systemAddon.update.enabled': false,
  'extensions.update.enabled': false,
  'media.gmp-manager.url': nowhere,
  'media.gmp-provider.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'nimbus.rollouts.enabled': false,
  'security.certerrors.mitm.priming.enabled': false,
  'security.remote_settings.crlite_filters.enabled': false,
  'security.remote_settings.intermediates.enabled': false,
  'services.settings.server': 'data:,#none',
  'toolkit.telemetry.server': nowhere,
  'toolkit.telemetry.unified': false,
  'trailhead.firstrun.didSeeAboutWelcome': true,
};

/** Settings for exact clocks, and against decisions by chance. */
const repeatable: Preferences = {
  'privacy.reduceTimerPrecision': false,
  'privacy.resistFingerprinting': false,
  // The operator's resolver, over the link, whatever it is.
  'network.trr.mode': 5,
  // A question to the certificate's authority in the middle of a handshake, which Chrome doesn't ask.
  'security.OCSP.enabled': 0,
  // Keeps the URL as given: else Firefox tries HTTPS first, and waits.
  'dom.security.https_first': false,
  'browser.cache.disk.smart_size.enabled': false,
  'browser.sessionstore.resume_from_crash': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.tabs.unloadOnLowMemory': false,
  'dom.disable_open_during_load': true,
  'dom.ipc.processHangMonitor': false,
  'dom.max_script_run_time': 0,
  'network.manage-offline-status': false,
  'network.proxy.type': 0,
  // Its other half sets preferences for tests, some of which make pages load otherwise than a visitor's.
  'remote.prefs.recommended': false,
};

/** All preferences of a fresh profile. They are stored with a visit. */
export const firefoxPreferences = (choices: PreferenceChoices): Preferences => ({
  ...quiet,
  ...repeatable,
  ...protocolPreferences(choices),
  ...(choices.qlog === true ? { 'network.http.http3.enable_qlog': true } : {}),
});

/** Firefox would open a TCP connection beside a QUIC connection that isn't there after 100 ms, and take that. */
const neverMs = 2 ** 31 - 1;

/** The preferences that decide the protocol: each with what was seen, see docs/engines.md. */
export function protocolPreferences({ protocol, discovery, forced, lab }: PreferenceChoices): Preferences {
  switch (protocol) {
    case 'h1':
      return { 'network.http.http2.enabled': false, 'network.http.http3.enable': false };
    case 'h2':
      return { 'network.http.http2.enabled': true, 'network.http.http3.enable': false };
    case 'h3':
      return {
        'network.http.http2.enabled': true,
        'network.http.http3.enable': true,
        // Firefox takes a CA added to the profile for an inspecting proxy's, and avoids QUIC.
        ...(lab ? { 'network.http.http3.disable_when_third_party_roots_found': false } : {}),
        ...(discovery === 'forced' && forced.length > 0
          ? {
              'network.http.http3.alt-svc-mapping-for-testing': mappingOf(forced),
              'network.http.http3.force-use-alt-svc-mapping-for-testing': true,
              'network.http.http3.backup_timer_delay': neverMs,
              'network.http.http3.fallback_to_h2_on_error': false,
            }
          : {}),
      };
  }
}

/**
 * `host;h3=:port` for each host: a name has one port.
 *
 * @throws Error where a host is to be forced on two ports
 */
function mappingOf(forced: readonly string[]): string {
  const ports = new Map<string, string>();
  for (const hostWithPort of [...forced].sort()) {
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(hostWithPort) ?? [];
    const other = ports.get(host);
    if (other !== undefined && other !== port)
      throw new Error(`Firefox can force HTTP/3 on only one port of a host: ${host} has ${other} and ${port}.`);
    ports.set(host, port);
  }
  return [...ports].map(([host, port]) => `${host};h3=:${port}`).join(',');
}

export const userJs = (preferences: Preferences): string =>
  Object.entries(preferences)
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join('');
