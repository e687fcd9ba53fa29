// Drawing again under a reader's hands: what was open stays open, what had the focus keeps it.

/**
 * @param {Element} container
 * @param {() => Element[]} draw its new children; each `details` has a `data-key`
 */
export function redraw(container, draw) {
  const open = new Set(keysOf(container, 'details[open]'));
  const focus = container.contains(document.activeElement) ? pathOf(document.activeElement) : null;
  container.replaceChildren(...draw());
  for (const details of container.querySelectorAll('details')) if (open.has(details.dataset.key)) details.open = true;
  // Foldable content is made by the toggle event, which comes later.
  if (focus) requestAnimationFrame(() => requestAnimationFrame(() => focusOn(container, focus)));
}

/**
 * @param {Element} container
 * @param {string} selector
 */
function keysOf(container, selector) {
  return Array.from(container.querySelectorAll(selector), (element) => /** @type {HTMLElement} */ (element).dataset.key);
}

/**
 * How to find an element's successor: a link by its target, a summary by its details, a region by its group and name.
 * @param {Element | null} element
 */
function pathOf(element) {
  const group = element?.closest('[data-group]')?.getAttribute('data-group') ?? null;
  if (element instanceof HTMLAnchorElement) return { group, selector: `a[href="${CSS.escape(element.getAttribute('href') ?? '')}"]` };
  if (element?.tagName === 'SUMMARY')
    return { group, selector: `details[data-key="${CSS.escape(element.parentElement?.dataset.key ?? '')}"] > summary` };
  return { group, selector: `[aria-label="${CSS.escape(element?.getAttribute('aria-label') ?? '')}"]` };
}

/**
 * @param {Element} container
 * @param {{ group: string | null, selector: string }} path
 */
function focusOn(container, { group, selector }) {
  const scope = group === null ? container : container.querySelector(`[data-group="${CSS.escape(group)}"]`);
  const element = scope?.querySelector(selector);
  if (element instanceof HTMLElement || element instanceof SVGElement) element.focus({ preventScroll: true });
}
