// When a chart is worth its drawing: about to be seen, or after a while, so that paper and exports find it drawn.

/** A phone that is not scrolled draws nothing below its window before that, in milliseconds: what is read first goes first. */
const laterMs = 3000;

/** Resolves once: when the element is at most half a screen away, or after three seconds. Never, when the signal ends before. */
export async function whenNear(element: Element, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const observer = new IntersectionObserver(([newest]) => newest?.isIntersecting && resolve(), { rootMargin: '50% 0px' });
  observer.observe(element);
  const later = setTimeout(resolve, laterMs);
  const stop = () => {
    observer.disconnect();
    clearTimeout(later);
  };
  signal.addEventListener('abort', stop, { once: true });
  await promise;
  stop();
}
