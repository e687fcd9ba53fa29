import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badgeColors, badgeSvg, labelColor } from './badges.ts';

/** Of WCAG 2.2: relative luminance of #rrggbb. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test('white text can be read on every colour', () => {
  for (const color of [...Object.values(badgeColors), labelColor]) {
    const contrast = 1.05 / (luminance(color) + 0.05);
    assert.ok(contrast >= 4.5, `${color} has a contrast of ${contrast.toFixed(2)}`);
  }
});

test('whatever a name is, it is text of the badge and nothing else', () => {
  const label = `</text><script>alert(1)</script>"&' onload="x`;
  const svg = badgeSvg({ label, message: 'pass', color: 'good' });
  assert.deepEqual(
    [...new Set([...svg.matchAll(/<([a-zA-Z]+)/g)].map(([, name]) => name))],
    ['svg', 'title', 'clipPath', 'rect', 'g', 'text'],
  );
  assert.equal(svg.match(/<text /g)?.length, 2);
  assert.doesNotMatch(svg, / onload="/);
  const controls = badgeSvg({ label: 'a\u0000b\u001b\ud800c\u202ed', message: '', color: 'nothing' });
  assert.match(controls, /<title>a b {2}c d: <\/title>/);
});

test('it needs nothing from elsewhere', () => {
  const svg = badgeSvg({ label: 'checkout', message: 'pass', color: 'good' });
  assert.deepEqual(svg.match(/(?:https?:|url\(|href|@import|<style)[^"')]*/g), ['http://www.w3.org/2000/svg', 'url(#corners']);
});

test('a long name is cut, by characters as people see them', () => {
  const shown = (label: string) => /<title>(.*): pass<\/title>/.exec(badgeSvg({ label, message: 'pass', color: 'good' }))?.[1];
  assert.equal(shown('x'.repeat(40)), 'x'.repeat(40));
  assert.equal(shown('x'.repeat(41)), `${'x'.repeat(39)}…`);
  assert.equal(shown('👩‍👩‍👧‍👦'.repeat(41)), `${'👩‍👩‍👧‍👦'.repeat(39)}…`);
});
