// Firefox, driven over WebDriver BiDi: a fresh one, with its own profile, for each visit.
import { type Firefox, launchFirefox } from '../firefox/launch-firefox.ts';
import { openTab } from '../firefox/session.ts';
import { nameConnections } from '../firefox/translate.ts';
import type { Evidence } from '../gather/evidence.ts';
import { LoadWatch, tabOf } from '../gather/gather-load.ts';
import type { VantagePoint } from '../link/agent-link.ts';
import { describeEnvironment } from '../machine/environment.ts';
import { type DemoOrigin, type Engine, type Load, labFor, within } from './engine.ts';
import { warmUpPage } from './puppeteer.ts';

/**
 * @param lab the demo origin, when there is one; its trust goes only to Firefoxes that load its pages
 * @param vantagePoint where its Firefoxes run
 */
export function firefoxEngine(lab: DemoOrigin | undefined, { enter, fence, link }: VantagePoint): Engine {
  const running = new Set<Firefox>();
  let closed = false;
  const stopped = () => new Error('The engine was closed.');
  return {
    load: async (load) => {
      if (closed) throw stopped();
      // Over HTTP/3 it names an address with each datagram: to be asked each time took a fifth of its loading time.
      if (fence !== undefined)
        throw new Error('Firefox can’t be fenced: use a link with a namespace, or start the runner with --no-fence.');
      if (load.view === 'warm' || load.visitor !== undefined)
        throw new Error('The engine firefox makes only first views, without a visitor’s settings.');
      const { protocol, discovery, forced, limits } = load;
      const trusted = labFor(load, lab);
      const qlog = load.netlog !== undefined && protocol === 'h3';
      const firefox = await launchFirefox({ protocol, discovery, forced, lab: trusted?.trust, qlog }, enter);
      running.add(firefox);
      try {
        if (closed) throw stopped();
        const environment = describeEnvironment(firefox, link, trusted?.settings, 'process');
        const maxMs = limits.loadTimeoutMs + limits.settleMaxMs + 30_000;
        const evidence = await within(maxMs, firefox, gather(firefox, load));
        const logged = qlog && firefox.connected() ? await firefox.qlog().catch(() => null) : null;
        return { environment, evidence, ...(logged === null ? {} : { qlog: logged }) };
      } finally {
        running.delete(firefox);
        await firefox.close();
      }
    },
    close: async () => {
      closed = true;
      await Promise.all([...running].map((firefox) => firefox.close()));
    },
  };
}

async function gather(firefox: Firefox, load: Load): Promise<Evidence> {
  const watch = new LoadWatch();
  firefox.onDisconnected(() => watch.end({ kind: 'browser-crashed' }));
  const tab = await openTab(firefox, warmUpPage);
  await watch.listen(tab.session);
  await watch.attend(tab);
  const evidence = await tabOf(watch, tab, firefox.connected).load(load.url, load.limits);
  // A Firefox that is gone reports nothing.
  const carriers = firefox.connected() ? await firefox.inside.carriers().catch(() => []) : [];
  return { ...evidence, network: nameConnections(evidence.network, carriers), untold: ['frames', 'scripts', 'sizes'] };
}
