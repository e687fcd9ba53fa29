// What a finger and a pen do, in a Chrome on a machine that has a mouse too.
import assert from 'node:assert/strict';
import type { ElementHandle, Page } from 'puppeteer-core';

export const pointers = ['touch', 'pen'] as const;

export async function tap(page: Page, pointerType: (typeof pointers)[number], [x, y]: readonly [number, number]): Promise<void> {
  if (pointerType === 'touch') return page.touchscreen.tap(x, y);
  const pen = await page.createCDPSession();
  const at = { x, y, pointerType, button: 'left', clickCount: 1 } as const;
  await pen.send('Input.dispatchMouseEvent', { ...at, type: 'mousePressed' });
  await pen.send('Input.dispatchMouseEvent', { ...at, type: 'mouseReleased' });
  await pen.detach();
}

export async function middleOf(element: ElementHandle | null): Promise<[number, number]> {
  const box = await element?.boundingBox();
  assert.ok(box);
  return [box.x + box.width / 2, box.y + box.height / 2];
}
