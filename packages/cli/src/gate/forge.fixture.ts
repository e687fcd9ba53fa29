// GitHub's and GitLab's REST APIs for comments and commit statuses, as they document them, on the loopback: with pages, tokens, and refusals.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface MadeComment {
  id: number;
  body: string;
  /** Who wrote it. */
  by: string;
}

/** @param user of the token; null: GitHub's own of Actions, which may not ask who it is */
export async function madeForge(t: TestContext, kind: 'github' | 'gitlab', { user = null as string | null, refuses = '' } = {}) {
  const token = user === null ? 'ghs_actions' : 'pat';
  const comments: MadeComment[] = [];
  const statuses: { commit: string; body: Record<string, string> }[] = [];
  const asked: string[] = [];
  const list = kind === 'github' ? '/repos/octo-org/shop/issues/12/comments' : '/projects/17/merge_requests/12/notes';
  const one = new RegExp(kind === 'github' ? '^/repos/octo-org/shop/issues/comments/(\\d+)$' : `^${list}/(\\d+)$`);
  const status = kind === 'github' ? /^\/repos\/octo-org\/shop\/statuses\/(\w+)$/ : /^\/projects\/17\/statuses\/(\w+)$/;
  const shown = ({ by, ...comment }: MadeComment) =>
    kind === 'github'
      ? { ...comment, user: { login: by, type: by.endsWith('[bot]') ? 'Bot' : 'User' } }
      : { ...comment, author: { username: by }, system: false };
  const me = user ?? 'github-actions[bot]';

  const answer = (method: string, url: URL, body: Record<string, string>): [number, unknown] => {
    const path = url.pathname;
    if (refuses !== '' && method !== 'GET' && path.includes(refuses)) return [403, { message: 'Resource not accessible by integration' }];
    if (path === '/user')
      return user === null
        ? [403, { message: 'Resource not accessible by integration' }]
        : [200, kind === 'github' ? { login: user } : { username: user }];
    if (path === list && method === 'GET') {
      const [size, page] = [Number(url.searchParams.get('per_page')), Number(url.searchParams.get('page'))];
      return [200, comments.slice(size * (page - 1), size * page).map(shown)];
    }
    if (path === list && method === 'POST') {
      const made = { id: comments.length + 1, body: body.body ?? '', by: me };
      comments.push(made);
      return [201, shown(made)];
    }
    const changed = comments.find(({ id }) => String(id) === one.exec(path)?.[1]);
    if (changed && method === (kind === 'github' ? 'PATCH' : 'PUT')) {
      changed.body = body.body ?? '';
      return [200, shown(changed)];
    }
    const commit = status.exec(path)?.[1];
    if (commit !== undefined && method === 'POST') {
      statuses.push({ commit, body });
      return [201, body];
    }
    return [404, { message: 'Not Found' }];
  };

  const server = createServer(async (request, reply) => {
    const url = new URL(request.url ?? '', 'http://forge');
    asked.push(`${request.method} ${url.pathname}`);
    const given = kind === 'github' ? request.headers.authorization : request.headers['private-token'];
    const isKnown = given === (kind === 'github' ? `Bearer ${token}` : token);
    const [code, body] = isKnown ? answer(request.method ?? '', url, await bodyOf(request)) : [401, { message: 'Bad credentials' }];
    reply.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { apiUrl, token, comments, statuses, asked };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  const text = (await Array.fromAsync(request)).join('');
  return text === '' ? {} : JSON.parse(text);
}
