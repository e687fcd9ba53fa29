// The clock that both ends share, and how packets are spaced by it.

/** CLOCK_MONOTONIC in nanoseconds; exact to 1 ns for the first 104 days of a machine's uptime, to 2 ns for the next 104. */
export const nowNs = () => Number(process.hrtime.bigint());

/** A sender makes up for at most this at once, so that one that was not scheduled for a while can't flood the link's queue. */
const catchUpNs = 4e6;
/** Sent in one go, before what arrived meanwhile is looked at. */
const atOnce = 32;

/**
 * Calls `send` for 0, 1, 2 … evenly spaced; several in one turn when the spacing is finer than the timers' (1 ms), so that no
 * core is burnt on waiting.
 *
 * @param forNs stops after so long even if there are more
 * @returns how many were called
 */
export function pace(count: number, intervalNs: number, forNs: number, send: (number: number) => void): Promise<number> {
  let start = nowNs();
  const end = start + forNs;
  let next = 0;
  return new Promise((resolve) => {
    const turn = () => {
      const now = nowNs();
      const late = now - (start + next * intervalNs);
      if (late > catchUpNs) start += late - catchUpNs;
      for (let sent = 0; next < count && sent < atOnce && start + next * intervalNs <= now; sent++) send(next++);
      if (next >= count || now >= end) resolve(next);
      else if (start + next * intervalNs <= nowNs()) setImmediate(turn);
      else setTimeout(turn, Math.floor((start + next * intervalNs - nowNs()) / 1e6));
    };
    turn();
  });
}
