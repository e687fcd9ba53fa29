// What third parties serve: pictures, tags that ask for more, advertisements in frames; and how two of them are unwell.
import { html, pause, script, send } from './document.ts';
import type { Answer, WebRequest } from './web-server.ts';

/** The flaky host fails in two requests of this many: refuses one, breaks the other off. */
const flakyCycle = 40;
let flakyRequests = 0;

/** What the slow host takes longer over HTTP/3. */
const slowH3Ms = 400;

/** One pixel, transparent: what trackers answer. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export const thirdParty: Answer = async (asked) => {
  const { response, label, path, query, protocol, documents } = asked;
  if (label === 'flaky' && fails(asked)) return;
  if (label === 'slow-h3' && protocol === 'h3') await pause(response, slowH3Ms);
  const pot = documents.pots[Number(/^\/pots\/(\d+)\.png$/.exec(path)?.[1])];
  if (pot !== undefined) return send(response, await documents.shopAsset(pot), 'image/png');
  switch (path) {
    // A tag, as analytics have it: counts the visitor by a request of its own.
    case '/tag.js':
      return script(
        response,
        `new Image().src = '/pixel.gif?'.replace('/', new URL('/', document.currentScript.src)) + ${JSON.stringify(query.toString())};`,
      );
    case '/pixel.gif':
      return send(response, pixel, 'image/gif');
    case '/ad.html':
      return html(response, {
        base: frame,
        body: `<a href="/"><img src="${documents.pots[Number(query.get('slot') ?? 0) % 64]}" alt="" width="120" height="120"><b>A pot for every shelf</b>From the autumn kiln</a>`,
      });
    case '/player.html':
      return html(response, { base: documents.shop, headline: 'A shelf in a frame' });
    case '/consent':
      return html(response, {
        base: documents.shop,
        instead: `<main style="max-width:36em;margin:12vh auto"><h1>Before you read on</h1><p>Ninety-four partners would like to know you better.</p>
<p><a href="${consentTarget(asked)}" id="accept">Accept</a></p></main>`,
      });
    default:
      return html(response, { base: documents.shop, headline: label });
  }
};

/** Back to where the visitor came from, which then knows. Only to hosts of the demo. */
function consentTarget({ query }: WebRequest): string {
  const back = query.get('back') ?? '';
  return /^https:\/\/consent\.pronghorn\.test:\d+\/$/.test(back) ? `${back}accepted` : '/';
}

/** @returns whether it has failed the request */
function fails({ response }: WebRequest): boolean {
  const turn = flakyRequests++ % flakyCycle;
  if (turn === 5) send(response, 'Too busy', 'text/plain', 503);
  else if (turn === 25) {
    // The length is promised and not kept: the server in front can only break off.
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': 9_000 });
    response.write(Buffer.alloc(900), () => response.destroy());
  } else return false;
  return true;
}

const frame = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Advertisement</title>
<style>body{margin:0;font:14px/1.4 "Liberation Sans",sans-serif}a{display:block;padding:8px;color:#1f2a2b;text-decoration:none}b{display:block}</style></head><body></body></html>`;
