// What follows from a command once it is stored: nobody hears of what was not.
import type { LogLevel } from '@pronghorn/core/schemas';

/** A line for the service's own log. */
export type LogLine = { level: LogLevel; fields: Readonly<Record<string, unknown>>; text: string };
/** Loops that a command may give something to do. */
export type Due = 'notifications' | 'schedules' | 'gates' | 'summaries';

export type Effects = {
  /** Campaigns that changed. */
  campaigns: Set<number>;
  lines: LogLine[];
  due: Set<Due>;
};

const none = (): Effects => ({ campaigns: new Set(), lines: [], due: new Set() });

/** Gathers the effects of the command that runs. */
export function createEffectsOf() {
  let current = none();
  return {
    campaignChanged: (campaignId: number): void => void current.campaigns.add(campaignId),
    log: (level: LogLevel, fields: LogLine['fields'], text: string): void => void current.lines.push({ level, fields, text }),
    due: (loop: Due): void => void current.due.add(loop),
    /** Runs a command, which does not wait for anything. @returns its answer and its effects. @throws what it throws; then there are none. */
    during<T>(command: () => T): { answer: T; effects: Effects } {
      const before = current;
      current = none();
      try {
        return { answer: command(), effects: current };
      } finally {
        current = before;
      }
    },
  };
}
