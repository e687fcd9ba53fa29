// Ctrl-C: what runs is told to stop, and stops by itself with what it measured.

/** This many end the process at once: something hangs that should have stopped. */
const maxSignals = 3;

let stopped: AbortSignal | undefined;

/**
 * Takes over Ctrl-C (and SIGTERM, and the closing of the terminal) until the process ends, so that no second one cuts the
 * tidying up short.
 *
 * @returns aborted by the first, the same for all who ask: one that comes when a campaign is done stops the next; the third ends the process with
 * exit code 130
 */
export function interruption(): AbortSignal {
  stopped ??= takeOver();
  return stopped;
}

function takeOver(): AbortSignal {
  const stop = new AbortController();
  onSignals(() => stop.abort());
  return stop.signal;
}

/**
 * Takes over the same signals for work that is worth finishing.
 *
 * @returns `drain` is aborted by the first, `stop` by the second; the third ends the process with exit code 130
 */
export function leaving(): { drain: AbortSignal; stop: AbortSignal } {
  const [drain, stop] = [new AbortController(), new AbortController()];
  onSignals((count) => (count === 1 ? drain : stop).abort());
  return { drain: drain.signal, stop: stop.signal };
}

/** @param act with how many signals have come, this one included */
function onSignals(act: (count: number) => void): void {
  let count = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      count += 1;
      act(count);
      if (count === maxSignals) process.exit(130);
    });
}
