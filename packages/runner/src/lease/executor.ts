// Performs campaigns one after the other: each may need another link.
import type { Lease, LinkBackend } from '@pronghorn/core/schemas';
import type { DemoOrigin, Engine } from '../engines/engine.ts';
import { allEngines } from '../engines/engines.ts';
import type { VantagePoint } from '../link/agent-link.ts';
import { chooseBackend, type LinkChoice } from '../link/backends.ts';
import type { Fencing } from '../link/fence/fence.ts';
import { type Link, openLink } from '../link/link.ts';
import type { LeaseTools } from './lease-tools.ts';

export interface Executor {
  /** Makes ready what a lease's campaign needs. @throws LinkUnavailable when this machine can't do that */
  open(lease: Lease): Promise<LeaseTools>;
  /** Ends engine and link after a failure that they may have caused; the next lease gets others. Never throws. */
  abandon(): Promise<void>;
  /** Ends everything it started, even during a load. */
  close(): Promise<void>;
}

export interface ExecutorOptions {
  choice: LinkChoice;
  allowNet: readonly string[];
  fencing: Fencing;
  congestionControl: string;
  /** A demo origin that the link's other side reaches by its own network. */
  lab?: DemoOrigin | undefined;
}

/**
 * Chrome behind the link that fits a campaign. The backend follows only from the campaign's conditions, so that a campaign has the same on
 * every runner of a kind; it is reopened only when the next campaign needs another one.
 */
export function chromeExecutor(
  { choice, allowNet, fencing, congestionControl, lab }: ExecutorOptions,
  makeEngine: (vantagePoint: VantagePoint) => Engine = (vantagePoint) => allEngines(lab, vantagePoint),
): Executor {
  let opened: { backend: LinkBackend; link: Link; engine: Engine } | undefined;
  let closed = false;
  let closing: Promise<void> = Promise.resolve();

  const leave = async () => {
    const left = opened;
    opened = undefined;
    if (left === undefined) return;
    try {
      await left.engine.close();
    } finally {
      await left.link.close();
    }
  };

  return {
    async open({ spec: { conditions } }) {
      await closing;
      if (closed) throw new Error('The runner was stopped.');
      const backend = await chooseBackend(choice, conditions, fencing);
      if (opened?.backend === backend) return opened;
      await leave();
      const link = await openLink({ choice: backend, conditions, outside: true, allowNet, fencing, congestionControl });
      opened = { backend, link, engine: makeEngine(link.vantagePoint) };
      if (closed) {
        // It closed while opening: nothing else would end it.
        await leave();
        throw new Error('The runner was stopped.');
      }
      return opened;
    },
    async abandon() {
      closing = closing.then(leave).catch(() => {}); // what is broken may not even end as it should
      await closing;
    },
    async close() {
      closed = true;
      const left = closing.then(leave);
      closing = left.catch(() => {});
      await left;
    },
  };
}

/** Campaigns whose visits have a container each go to another executor; while that works, no Chrome of this one idles. */
export function dividedExecutor(here: Executor, containers: Executor): Executor {
  return {
    async open(lease) {
      if (lease.spec.isolation !== 'container') return await here.open(lease);
      await here.abandon();
      return await containers.open(lease);
    },
    async abandon() {
      await Promise.all([here.abandon(), containers.abandon()]);
    },
    async close() {
      await Promise.all([here.close(), containers.close()]);
    },
  };
}
