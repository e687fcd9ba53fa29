import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { type AaRound, calibration, judgeCalibration, orderEffect } from '@pronghorn/core/campaign';
import { randomSource } from '@pronghorn/core/math';
import { widthOf } from '../program/terminal.ts';
import { calibrationReport, type SlotCalibration } from './calibrations.ts';

const campaign = { sites: [{ id: 's', url: 'https://a.test/', name: 'A page', expectStatus: 200 }] };

/** Rounds of two visits that are alike but for some per cent of noise. */
function roundsOf(count: number, seed: number, second = 1): AaRound[] {
  const random = randomSource(seed);
  const value = () => 300 * Math.exp(0.1 * (random() + random() + random() - 1.5));
  return Array.from({ length: count }, () => ({ first: value(), second: second * value() }));
}

function slotCalibration(rounds: readonly AaRound[], place: Partial<SlotCalibration> = {}): SlotCalibration {
  const found = calibration(rounds, { seed: 1 });
  const group = {
    siteId: 's',
    condition: 'native',
    view: 'cold',
    protocol: 'h2',
    slots: [0, 1] as [number, number],
    metric: 'onLoad',
  } as const;
  const order = orderEffect(rounds.map(({ first, second }) => [first, second].map((value) => ({ protocol: 'h2', value }))));
  const judged = judgeCalibration(found ? [found] : [], order ? [order] : []);
  const [calibrated = null, ordered = null] = [judged.calibrations[0], judged.orders[0]];
  return { ...group, rounds: rounds.length, calibration: calibrated, order: ordered, ...place };
}

const told = (...found: SlotCalibration[]) => stripVTControlCharacters(calibrationReport(campaign, found));

const both = [slotCalibration(roundsOf(60, 1)), slotCalibration(roundsOf(60, 2), { protocol: 'h3', slots: [2, 3], metric: 'speedIndex' })];

test('each protocol and metric has its findings in words, under the place that they are of', () => {
  const text = told(...both);
  assert.match(text, /^A page {2}https:\/\/a\.test\/ {2}native, cold\n\nh2 against h2, onLoad, 60 rounds\nIn 6 sub-campaigns of 10 rounds/);
  assert.match(text, /^h3 against h3, SpeedIndex, 60 rounds\nIn 6 sub-campaigns/m);
});

test('tables have false winners by size of campaign, what the rounds are like, and the smallest difference by rounds', () => {
  const text = told(...both);
  const p = String.raw`p [=<] \d[\d.]*`;
  const percent = String.raw`\d[\d.]* %`;
  assert.match(text, new RegExp(String.raw`^h2  onLoad +10 +6 +\d \(${percent}\) +${percent} to ${percent} +4\.9 % +${p}$`, 'm'));
  assert.match(text, new RegExp(String.raw`^ +20 +3 +\d \(${percent}\) +${percent} to ${percent} +4\.8 % +${p}$`, 'm'));
  assert.match(
    text,
    new RegExp(String.raw`^h3  SpeedIndex +${percent} +[+−]${percent} +${p} +[+−]${percent} +${p} +−?0\.\d\d +${p}$`, 'm'),
  );
  assert.match(
    text,
    new RegExp(
      String.raw`^The visits of a round in their order, .*\n +rounds +1st +2nd\nonLoad +60 +[+−]?${percent} +[+−]?${percent} +${p}\nSpeedIndex +60 `,
      'm',
    ),
  );
  assert.match(text, / +5 rounds +10 rounds +20 rounds +50 rounds +100 rounds\n/);
  assert.match(text, new RegExp(`^h3  SpeedIndex +–( +${percent}){4}$`, 'm'));
});

test('without a caution it says that nothing amiss was found; with one, what that means', () => {
  const calm = told(slotCalibration(roundsOf(60, 1))).replaceAll(/\s+/g, ' ');
  assert.match(calm, /No problem: on this machine/);
  assert.doesNotMatch(calm, /A caution/);
  const favoured = told(slotCalibration(roundsOf(60, 1, 1.2))).replaceAll(/\s+/g, ' ');
  assert.match(favoured, /The second slot is \d+ % larger than the first over all 60 rounds/);
  assert.match(favoured, /A caution is not a failure of this command: .* calibrate again/);
  assert.doesNotMatch(favoured, /Nothing amiss/);
});

test('a caution that all share is told once, above the tables', () => {
  const few = [1, 2].map((seed) => slotCalibration(roundsOf(20, seed), { metric: seed === 1 ? 'onLoad' : 'speedIndex' }));
  const text = told(...few);
  assert.equal(text.match(/20 rounds say little/g)?.length, 1);
  assert.ok(text.indexOf('SpeedIndex, 20 rounds') < text.indexOf('\n\n20 rounds say little'));
  assert.ok(text.indexOf('20 rounds say little') < text.indexOf('False winners'));
  assert.match(told(slotCalibration(roundsOf(20, 1))), /\n20 rounds say little/);
});

test('too few rounds have neither words nor tables, but what is needed', () => {
  const text = told(slotCalibration(roundsOf(7, 1)));
  assert.match(text, /h2 against h2, onLoad, 7 rounds\nA calibration needs at least 10 rounds in which both visits are valid\.$/);
  assert.doesNotMatch(text, /False winners|amiss|caution/);
});

test('rounds that are alike to the digit have no numbers but dashes, and no power of ten is written', () => {
  const alike = Array.from({ length: 30 }, () => ({ first: 250, second: 250 }));
  const text = told(slotCalibration(alike));
  assert.match(text, /^h2 {2}onLoad +0 % +0 % +p = 1 +– +– +– +–$/m);
  const nearly = roundsOf(30, 4).map(({ first }, i) => ({ first, second: first * (1 + (i % 2 === 0 ? 1e-12 : -1e-12)) }));
  assert.doesNotMatch(told(slotCalibration(nearly)).split('False winners')[1] ?? '', /\de[-+]?\d/);
});

test('no line of tables and prose is wider than a terminal of 80 columns', (t) => {
  const before = process.stdout.columns;
  t.after(() => {
    process.stdout.columns = before;
  });
  process.stdout.columns = 80;
  const wild = [1, 2].map((seed) => {
    const rounds = roundsOf(1_200, seed, 1.13).map(({ first, second }, i) => ({
      first: first * (1 + i / 50),
      second: second * (1 + i / 50),
    }));
    return slotCalibration(rounds, { protocol: 'h3', metric: 'speedIndex' });
  });
  for (const line of told(...wild).split('\n')) assert.ok(widthOf(line) <= 80, line);
});
