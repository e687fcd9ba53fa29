/**
 * Runs work a few at once, the rest in its order. Who waits longer than its signal allows gets the signal's reason; work that has begun
 * keeps its place until it ends, since what it occupies is not free before.
 */
export function fewAtOnce(most: number) {
  let running = 0;
  const waiting = new Set<() => void>();

  function next(): void {
    const [start] = waiting;
    if (start === undefined || running >= most) return;
    waiting.delete(start);
    start();
  }

  return <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const start = () => {
        running += 1;
        void work()
          .finally(() => {
            running -= 1;
            signal.removeEventListener('abort', giveUp);
            next();
          })
          .then(resolve, reject);
      };
      const giveUp = () => {
        waiting.delete(start);
        reject(signal.reason);
      };
      if (signal.aborted) return giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.add(start);
      next();
    });
}
