// Back at the place where the reader was: what stood there is read and drawn first.

/** What takes longer comes too late to move the page, in milliseconds. */
const longestMs = 3000;

/** Whether the page has become so long that it can be scrolled to `top`, before the reader scrolls it or the time is over. */
export function grownTo(top: number): Promise<boolean> {
  return new Promise((resolve) => {
    const isThere = () => document.documentElement.scrollHeight - innerHeight >= top;
    const observer = new ResizeObserver(() => isThere() && end(true));
    const timer = setTimeout(() => end(false), longestMs);
    const moved = () => end(false);
    const signs = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;
    function end(found: boolean): void {
      observer.disconnect();
      clearTimeout(timer);
      for (const sign of signs) removeEventListener(sign, moved);
      resolve(found);
    }
    for (const sign of signs) addEventListener(sign, moved, { passive: true });
    observer.observe(document.body);
  });
}
