// Elements from code. Text is only ever text: names and URLs come from pages that may be hostile, so nothing here parses HTML.

/** @typedef {Node | string | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>} Attributes */

/**
 * An HTML element. An attribute that is null, undefined or false is left out; a function listens to the event `on…`.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | readonly Child[])} children strings become text
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * An SVG element; as `html`.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | readonly Child[])} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

/**
 * A link to a page under test. Only http and https become links: a `javascript:` URL stays text.
 * @param {string} url
 */
export function outsideLink(url) {
  const isWeb = /^https?:$/.test(URL.parse(url)?.protocol ?? '');
  return isWeb
    ? html('a', { href: url, rel: 'noreferrer noopener', target: '_blank', class: 'url' }, url)
    : html('span', { class: 'url' }, url);
}

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {readonly (Child | readonly Child[])[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}
