// Applications: a skeleton at once, content after the load event. When the content is on the screen, the page says so itself: it asks for
// /seen?content=MS (on its own clock, from the start of its navigation), so that a visit's requests show when content was there.
import { source } from '../../content/site-files.ts';
import { html, json, pause, script, send } from './document.ts';
import type { Answer, WebRequest } from './web-server.ts';

/** From the load event on. */
export interface Schedule {
  /** Until the script begins. */
  waitMs: number;
  /** Tasks of script that build what the page shows. */
  tasks: number;
  taskMs: number;
  /** A timer between the script and its request. */
  timerMs: number;
  answerMs: number;
}

export const schedules = {
  application: { waitMs: 60, tasks: 1, taskMs: 300, timerMs: 0, answerMs: 60 },
  'application-timer': { waitMs: 0, tasks: 0, taskMs: 0, timerMs: 200, answerMs: 60 },
  'application-at-once': { waitMs: 0, tasks: 1, taskMs: 400, timerMs: 0, answerMs: 60 },
  'application-tasks': { waitMs: 0, tasks: 6, taskMs: 900, timerMs: 0, answerMs: 60 },
} as const satisfies Record<string, Schedule>;

export const applications: Readonly<Record<string, Answer>> = Object.fromEntries(
  Object.entries(schedules).map(([name, schedule]) => [name, (web: WebRequest) => answer(web, schedule)]),
);

async function answer({ response, path, documents }: WebRequest, schedule: Schedule): Promise<void> {
  switch (path) {
    case '/':
      return html(response, {
        base: documents.shop,
        head: `<style>${await source('web/application.css')}</style>`,
        instead: `<header><a class="brand" href="/">Turned · studio</a></header>
<main id="content" aria-busy="true">${'<div class="bone"></div>'.repeat(12)}</main>
<script src="/application.js" data-schedule='${JSON.stringify(schedule)}'></script>`,
      });
    case '/application.js':
      return script(response, await source('web/application.js'));
    case '/api/pots': {
      await pause(response, schedule.answerMs);
      const pots = documents.pots.slice(0, 12).map((picture, n) => ({ name: `Pot no. ${n + 1}`, price: 20 + n * 7, picture }));
      return json(response, pots, { 'server-timing': `answer;dur=${schedule.answerMs}` });
    }
    case '/seen':
      return send(response, '', 'text/plain', 200);
    default:
      return html(response, { base: documents.shop, headline: 'There is no such page' }, 404);
  }
}
