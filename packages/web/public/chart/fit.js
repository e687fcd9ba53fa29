// Charts are drawn for the width they have, so that their text keeps its size on a phone.
import { html } from '../browser/element.js';

/**
 * A figure that draws itself again whenever its width changes.
 * @param {number} height kept free until it is drawn, or the page would jump
 * @param {(width: number) => Element} draw
 */
export function fit(height, draw) {
  const figure = html('figure');
  figure.style.minHeight = `${height}px`;
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.floor(figure.clientWidth);
    if (width === drawn || width === 0) return;
    drawn = width;
    figure.replaceChildren(draw(width));
  }).observe(figure);
  return figure;
}
