// Colours that mean something stay apart for every kind of colour vision, and texts have contrast on every ground.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  type Color,
  differenceCiede2000,
  filterDeficiencyDeuter,
  filterDeficiencyProt,
  filterDeficiencyTrit,
  parse,
  wcagContrast,
} from 'culori';
import { outcomeNames } from '../text/vocabulary.ts';

const css = readFileSync(new URL('base.css', import.meta.url), 'utf8');
/** The variables of a rule of base.css that are colours. */
function coloursOf(selector: string): Record<string, string> {
  const [rule = ''] = css.slice(css.indexOf(selector)).split('}');
  return Object.fromEntries([...rule.matchAll(/--([\w-]+): (#[0-9a-f]{3,6});/g)].map(([, name = '', value = '']) => [name, value]));
}
const schemes = { light: coloursOf(':root {'), dark: coloursOf(':root[data-theme="dark"]') };

/** Dichromats see as in Machado, Oliveira & Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision Deficiency", by culori. */
const visions: Record<string, (colour: Color) => Color> = {
  normal: (colour) => colour,
  protanopia: filterDeficiencyProt(1) as (colour: Color) => Color,
  deuteranopia: filterDeficiencyDeuter(1) as (colour: Color) => Color,
  tritanopia: filterDeficiencyTrit(1) as (colour: Color) => Color,
};
/**
 * CIEDE2000 (Sharma, Wu & Dalal 2005). A just noticeable difference is about 1 side by side, and 2.3 in CIELAB (Mahy et al. 1994); marks of a few pixels that lie
 * apart need several times that.
 */
const difference = differenceCiede2000();
const apart = 9;
/** WCAG 2.2, 1.4.3. */
const readable = 4.5;

const colour = (scheme: Record<string, string>, name: string): Color => parse(scheme[name] ?? '') ?? assert.fail(`base.css has no ${name}`);

/** In words: which pairs are too near, for whom. */
function near(pairs: readonly (readonly [string, string])[]): string[] {
  return Object.entries(schemes).flatMap(([scheme, colours]) =>
    pairs.flatMap(([one, other]) =>
      Object.entries(visions).flatMap(([vision, seen]) => {
        const found = difference(seen(colour(colours, one)), seen(colour(colours, other)));
        return found >= apart ? [] : [`${one} and ${other}, ${scheme}, ${vision}: ${found.toFixed(1)}`];
      }),
    ),
  );
}

test('protocols differ in colour for every kind of vision', () => {
  assert.deepEqual(
    near([
      ['h1', 'h2'],
      ['h1', 'h3'],
      ['h2', 'h3'],
      ['other', 'h2'],
      ['other', 'h3'],
    ]),
    [],
  );
});

test('verdicts differ: equivalent from inconclusive and winners, a failure from HTTP/3 and from a pass', () => {
  assert.deepEqual(
    near([
      ['same', 'soft'],
      ['same', 'h3'],
      ['same', 'other'],
      ['bad', 'h3'],
      ['bad', 'same'],
      ['bad', 'soft'],
      ['bad', 'link'],
    ]),
    [],
  );
});

test('equivalent and HTTP/2’s blue are near for tritanopes, so each verdict has a word of its own beside its sign', () => {
  assert.ok(near([['same', 'h2']]).every((words) => words.includes('tritanopia')));
  const words = Object.values(outcomeNames);
  assert.equal(new Set(words).size, words.length);
});

test('connections that follow each other differ; the seventh and eighth, as all others, by their number beside the colour', () => {
  assert.deepEqual(near([0, 1, 2, 3, 4, 5].map((nth) => [`connection-${nth}`, `connection-${nth + 1}`] as const)), []);
});

test('texts in these colours have the contrast of WCAG AA on pages and cards, and what stands in notes there as well', () => {
  const on = (ground: string, texts: readonly string[]) =>
    Object.entries(schemes).flatMap(([scheme, colours]) =>
      texts.flatMap((text) => {
        const found = wcagContrast(colour(colours, text), colour(colours, ground));
        return found >= readable ? [] : [`${text} on ${ground}, ${scheme}: ${found.toFixed(2)}`];
      }),
    );
  const texts = ['ink', 'soft', 'link', 'bad', 'same', 'h1', 'h2', 'h3'];
  assert.deepEqual([...on('page', texts), ...on('card', texts), ...on('note', ['ink', 'soft', 'link', 'bad', 'same'])], []);
});

test('the check finds colours that are too near: red and green of the same lightness, for deuteranopes', () => {
  const [red, green] = [parse('#b35900'), parse('#7d7d00')] as [Color, Color];
  const deuteranope = visions.deuteranopia ?? assert.fail();
  assert.ok(difference(red, green) > apart);
  assert.ok(difference(deuteranope(red), deuteranope(green)) < apart);
});
