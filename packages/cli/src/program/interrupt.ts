// Ctrl-C: work stops by itself and keeps what it has measured.

/** So many signals end the process at once: something that should have stopped hangs. */
const maxSignals = 3;

let stopped: AbortSignal | undefined;

/**
 * Takes over Ctrl-C (and SIGTERM, and the closing of the terminal) until the process ends, so that a second one doesn't cut the cleaning up short.
 *
 * @returns aborted by the first signal, the same for all callers: a signal that comes when a campaign is done stops the next; the third ends the
 * process with exit code 130
 */
export function interruption(): AbortSignal {
  stopped ??= takeOver();
  return stopped;
}

function takeOver(): AbortSignal {
  const stop = new AbortController();
  onSignals((count) => {
    stop.abort();
    endAtLast(count);
  });
  return stop.signal;
}

/**
 * Takes over the same signals for work that is worth finishing.
 *
 * @returns `drain` is aborted by the first, `stop` by the second; the third ends the process with exit code 130
 */
export function leaving(): { drain: AbortSignal; stop: AbortSignal } {
  const [drain, stop] = [new AbortController(), new AbortController()];
  onSignals((count) => {
    (count === 1 ? drain : stop).abort();
    endAtLast(count);
  });
  return { drain: drain.signal, stop: stop.signal };
}

function endAtLast(count: number): void {
  if (count === maxSignals) process.exit(130);
}

/** @param act called with the number of signals so far, this one included */
export function onSignals(act: (count: number, signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => void): void {
  let count = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => act(++count, signal));
}
