// The dashboard with an exhibit in it, to look at while working on it: node packages/web/e2e/show.ts. It stays until Ctrl-C.
import { once } from 'node:events';
import { pagesOf } from './every-page.ts';
import { startExhibit } from './exhibit.ts';

const { service, exhibit } = await startExhibit();
await using _ = service;
for (const { name, hash } of pagesOf(exhibit)) console.log(`${name.padEnd(32)} ${service.url}/${hash}`);
await once(process, 'SIGINT');
