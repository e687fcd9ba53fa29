// The service with the demo's pages: asked as its clients ask it.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Campaign, OfferedSite } from '@pronghorn/core/schemas';
import { quickBrowser } from '@pronghorn/core/testing';
import { descendants, leavesNothing, profilesOf, quickLimits, start, temporaryData } from './command.ts';
import { untilTrue } from './service/world.ts';

export const ask = async <T>(
  url: string,
  options?: { token?: string | undefined; body?: object },
): Promise<{ status: number; body: T }> => {
  const reply = await fetch(url, {
    method: options?.body === undefined ? 'GET' : 'POST',
    headers: {
      ...(options?.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(options?.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(options?.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const text = await reply.text();
  return { status: reply.status, body: (reply.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as T };
};

/** `serve --demo` measures a page of its own, for who has its link, until its server is gone. */
export async function measuresItsOwn(t: TestContext, environment: Record<string, string>): Promise<void> {
  const data = await temporaryData((remove) => t.after(remove));
  const service = start(['serve', '--demo', '--port', '0', '--data', data], environment);
  await service.says('Try it: ', 480_000);
  const [, url = '', token] = /Try it: (http:\/\/[^/]+)\/#\/\?token=([0-9a-f]{64})/.exec(service.stderr()) ?? [];
  const at = `${url}/api/v1`;
  assert.equal((await ask(`${at}/sites/offered`)).status, 401);
  const offered = (await ask<OfferedSite[]>(`${at}/sites/offered`, { token })).body;
  assert.deepEqual(
    offered.map(({ name }) => name),
    ['article', 'shop', 'large-objects', 'scripts', 'sharded'],
  );
  const [{ url: page }] = offered as [OfferedSite];
  const body = { sites: [{ url: page }], protocols: ['h2', 'h3'], browser: quickBrowser, rounds: 1, limits: quickLimits };
  const made = await ask<Campaign>(`${at}/campaigns`, { token, body });
  assert.equal(made.status, 201);
  let campaign = made.body;
  await untilTrue(async () => {
    campaign = (await ask<Campaign>(`${at}/campaigns/${made.body.id}`, { token })).body;
    return campaign.state === 'done';
  }, 'the campaign to be done');
  assert.deepEqual([campaign.progress.visitsValid, campaign.progress.visitsInvalid], [2, 0], service.stderr());

  const [profiles, below] = [profilesOf(service.pid), descendants(service.pid)];
  const [run = ''] = readdirSync(join(data, 'origin', 'runs'));
  process.kill(Number(readFileSync(join(data, 'origin', 'runs', run, 'nginx.pid'), 'utf8')), 'SIGTERM');
  const { code, stderr } = await service.ended;
  assert.equal(code, 1);
  assert.match(stderr, /The service ends, since the demo's nginx has ended; its log is \S+error\.log\. Start it again\./);
  await leavesNothing(profiles, below);
}
