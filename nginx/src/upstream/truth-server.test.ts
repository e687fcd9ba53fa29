import assert from 'node:assert/strict';
import { test } from 'node:test';
import { truthPages } from '../truth.ts';
import { renderTruthPage } from './truth-server.ts';

test('a page asks for each of its objects once, by the visit’s id, and shows nothing by itself', () => {
  for (const page of truthPages) {
    const html = renderTruthPage(page, 'the-id');
    const urls = [...html.matchAll(/\/visit\/the-id\/(\d+)/g)].map(([, number]) => Number(number));
    assert.deepEqual(urls, [...page.objects.keys()], page.name);
    assert.doesNotMatch(
      html.replace(/<title>.*<\/title>|<style>.*<\/style>|<script>.*<\/script>|<[^>]*>/gs, ''),
      /\S/,
      'no text that would paint',
    );
    assert.match(html, /<link rel="icon" href="data:,">/);
  }
});
