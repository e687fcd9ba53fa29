// When a chart is worth its drawing: about to be seen, or after a while, so that paper finds it drawn.

/** A phone that is not scrolled draws nothing below its window before that, in milliseconds: what is read first goes first. */
const laterMs = 3000;

/** Resolves once: when the element is at most half a screen away, or after three seconds. Never, when the signal ends before. */
export function whenNear(element: Element, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && done(), {
      rootMargin: '50% 0px',
    });
    const later = setTimeout(done, laterMs);
    function stop(): void {
      observer.disconnect();
      clearTimeout(later);
    }
    function done(): void {
      stop();
      resolve();
    }
    observer.observe(element);
    signal.addEventListener('abort', stop, { once: true });
  });
}
