import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sitesOf, urlsOf, withScheme } from './site-list.ts';

test('pages are parted by lines, spaces, commas and semicolons', () => {
  assert.deepEqual(urlsOf(' https://a.example/\nb.example, c.example/x;https://d.example\t e.example:8443,'), [
    'https://a.example/',
    'b.example',
    'c.example/x',
    'https://d.example',
    'e.example:8443',
  ]);
  assert.deepEqual(urlsOf('a.example,b.example/x,www.c.example'), ['a.example', 'b.example/x', 'www.c.example']);
  assert.deepEqual(urlsOf(' \n, '), []);
});

test('a comma within a URL stays in it', () => {
  assert.deepEqual(urlsOf('https://a.example/map@1.5,2.5,17z b.example/x,y.html'), [
    'https://a.example/map@1.5,2.5,17z',
    'b.example/x,y.html',
  ]);
});

test('https is meant where no scheme is written', () => {
  assert.deepEqual(
    ['example.org', 'example.org:8443/x', 'http://example.org', 'ftp://example.org', 'mailto:me', 'localhost', 'h3'].map(withScheme),
    [
      'https://example.org',
      'https://example.org:8443/x',
      'http://example.org',
      'ftp://example.org',
      'mailto:me',
      'https://localhost',
      'h3',
    ],
  );
});

test('a page that stays keeps its name, status and visitor', () => {
  const known = [{ url: 'https://a.example', name: 'A', expectStatus: 404, visitor: { language: 'de' } }];
  assert.deepEqual(sitesOf('b.example a.example', known), [{ url: 'https://b.example' }, known[0]]);
});

test('a list that was copied from a table or a page comes without its quotes and bullets', () => {
  const [a, b] = ['https://a.example/', 'https://b.example/x'];
  assert.deepEqual(urlsOf(`"${a}","${b}"`), [a, b]);
  assert.deepEqual(urlsOf(`- “${a}”\n* <${b}>\n•`), [a, b]);
});
