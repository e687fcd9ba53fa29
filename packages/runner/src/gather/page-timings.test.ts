import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NetworkEvent, PageTimings } from './evidence.ts';
import { sinceFirstDocument } from './page-timings.ts';

const page: PageTimings = {
  timeOrigin: 10_900,
  url: 'https://shop.example/home',
  navigation: {
    responseStart: 40,
    finalResponseHeadersStart: 70,
    domContentLoadedEventStart: 100,
    loadEventStart: 200,
    loadEventEnd: 210,
    nextHopProtocol: 'h3',
  },
  firstPaint: 80,
  firstContentfulPaint: 80,
  largestContentfulPaint: 150,
  layoutShifts: [{ startTime: 90, value: 0.1 }],
  longTasks: [{ startTime: 110, duration: 60 }],
  hints: [],
  readAt: 700,
};
const request = { method: 'Network.requestWillBeSent', params: { wallTime: 10 } } as NetworkEvent;

test('a page that another document led to is timed from the start of that one, each of its times', () => {
  const moved = sinceFirstDocument(page, [request]);
  assert.deepEqual(moved.navigation, {
    ...page.navigation,
    responseStart: 940,
    finalResponseHeadersStart: 970,
    domContentLoadedEventStart: 1_000,
    loadEventStart: 1_100,
    loadEventEnd: 1_110,
  });
  assert.deepEqual([moved.timeOrigin, moved.firstPaint, moved.largestContentfulPaint, moved.readAt], [10_000, 980, 1_050, 1_600]);
  assert.deepEqual([moved.layoutShifts?.[0]?.startTime, moved.longTasks?.[0]?.startTime], [990, 1_010]);
});

test('headers that the browser does not report stay unknown', () => {
  const untold = { ...page, navigation: { ...page.navigation, finalResponseHeadersStart: 0 } };
  assert.equal(sinceFirstDocument(untold, [request]).navigation.finalResponseHeadersStart, 0);
});
