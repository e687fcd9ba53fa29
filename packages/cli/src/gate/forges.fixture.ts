// GitHub and GitLab for tests: runs of their pipelines by environment and event payload (docs.github.com, "Variables reference", "Webhook events and
// payloads"; docs.gitlab.com, "Predefined CI/CD variables"), and their REST APIs for comments and commit statuses on the loopback.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export const head = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821';
export const merge = 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e';
export const buildUrl = 'https://github.com/octo-org/shop/actions/runs/1658821493';
export const everywhere = {
  ...{ CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_SERVER_URL: 'https://github.com', GITHUB_API_URL: 'https://api.github.com' },
  ...{ GITHUB_REPOSITORY: 'octo-org/shop', GITHUB_RUN_ID: '1658821493', GITHUB_HEAD_REF: '', GITHUB_BASE_REF: '' },
};
export const onMain = { GITHUB_SHA: head, GITHUB_REF: 'refs/heads/main', GITHUB_REF_NAME: 'main', GITHUB_REF_TYPE: 'branch' };
export const repository = { full_name: 'octo-org/shop', default_branch: 'main', fork: false };

export const pullRequest = (repo: string | null, ref: string) => ({
  action: 'synchronize',
  number: 12,
  pull_request: {
    number: 12,
    merge_commit_sha: merge,
    head: { label: `${repo?.split('/')[0] ?? 'octocat'}:${ref}`, ref, sha: head, repo: repo === null ? null : { full_name: repo } },
    base: { label: 'octo-org:main', ref: 'main', sha: merge, repo: { full_name: 'octo-org/shop' } },
  },
});
export const onMerge = (ref: string) => ({
  ...{ GITHUB_SHA: merge, GITHUB_REF: 'refs/pull/12/merge', GITHUB_REF_NAME: '12/merge', GITHUB_REF_TYPE: 'branch' },
  ...{ GITHUB_HEAD_REF: ref, GITHUB_BASE_REF: 'main' },
});

export const gitlab = {
  ...{ GITLAB_CI: 'true', CI_API_V4_URL: 'https://gitlab.example/api/v4', CI_PROJECT_ID: '17', CI_JOB_URL: 'https://gitlab.example/j/1' },
  CI_COMMIT_SHA: head,
};
export const request = {
  ...gitlab,
  ...{
    CI_PIPELINE_SOURCE: 'merge_request_event',
    CI_COMMIT_REF_NAME: 'main',
    CI_MERGE_REQUEST_IID: '12',
    CI_MERGE_REQUEST_PROJECT_ID: '17',
  },
  ...{ CI_MERGE_REQUEST_PROJECT_PATH: 'shop/web', CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: 'shop/web' },
  ...{
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'faster',
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    CI_MERGE_REQUEST_EVENT_TYPE: 'detached',
  },
};

interface MadeComment {
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
