// Asking again and again, at the least cost: the visits being measured run on this very machine.

/**
 * Asks now, and again `periodMs` after each answer while `ask` resolves to true. Waits while the page is hidden.
 * @param {() => Promise<boolean>} ask
 * @param {number} periodMs
 * @param {AbortSignal} signal ends it
 */
export async function poll(ask, periodMs, signal) {
  while (!signal.aborted && (await ask())) {
    await pause(periodMs, signal);
    while (document.hidden && !signal.aborted) await visibilityChange(signal);
  }
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function visibilityChange(signal) {
  return new Promise((resolve) => {
    const end = () => {
      document.removeEventListener('visibilitychange', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    document.addEventListener('visibilitychange', end);
    signal.addEventListener('abort', end);
  });
}
