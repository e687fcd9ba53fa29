// Whatever opens on a page stays inside the window.
import type { Page } from 'puppeteer-core';

/** Of a kind that a page repeats, such as a row's details, the first ones show what all do. */
const mostOfKind = 3;

/** Opens menus one by one, and terms; then all other parts that open, together. @returns what leaves the window, and how much was opened */
export const openEverything = (page: Page) =>
  page.evaluate(async (most) => {
    const faults = new Set<string>();
    const frames = async () => {
      for (let i = 0; i < 2; i++) await new Promise((done) => requestAnimationFrame(done));
    };
    const nameOf = (element: Element) => `${element.tagName.toLowerCase()}.${[...element.classList].join('.')}`;
    const check = (element: Element, what: string) => {
      const { left, right, width } = element.getBoundingClientRect();
      const edge = document.documentElement.clientWidth;
      if (width > 0 && (left < 0 || right > edge))
        faults.add(`${what}: ${nameOf(element)} from ${Math.round(left)} to ${Math.round(right)}`);
    };
    const seen = new Map<string, number>();
    const isOften = (element: Element) => {
      const name = nameOf(element);
      seen.set(name, (seen.get(name) ?? 0) + 1);
      return (seen.get(name) ?? 0) > most;
    };
    let opened = 0;
    for (const details of document.querySelectorAll('details')) {
      if (details.open || isOften(details)) continue;
      const toggled = new Promise((done) => details.addEventListener('toggle', done, { once: true }));
      details.open = true;
      opened += 1;
      await toggled;
      await frames();
      const floating = details.querySelectorAll('.floating');
      for (const element of floating) check(element, details.querySelector('summary')?.textContent?.trim() ?? 'menu');
      if (floating.length > 0) details.open = false;
    }
    for (const term of document.querySelectorAll<HTMLElement>('.explained .term')) {
      if (isOften(term) || term.checkVisibility() === false) continue;
      term.focus();
      opened += 1;
      await frames();
      const words = term.nextElementSibling;
      if (words) check(words, term.textContent ?? 'term');
      term.blur();
    }
    const menu = document.querySelector<HTMLElement>('.menu-button');
    if (menu?.checkVisibility()) {
      menu.click();
      opened += 1;
      await frames();
      for (const link of document.querySelectorAll('.site-header :is(a, button)')) check(link, 'navigation');
      menu.click();
    }
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) faults.add(`all open: the page is ${scrollWidth} px wide`);
    return { faults: [...faults], opened };
  }, mostOfKind);
