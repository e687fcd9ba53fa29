// Reports a gate to its forge: one comment on the pull or merge request, which each run updates, and a status of the commit.
import { plain } from '../program/terminal.ts';
import type { Forge } from './pipeline.ts';

export interface FeedbackWishes {
  /** Null: no pipeline of GitHub or GitLab. */
  forge: Forge | null;
  token: string | null;
  comment: boolean;
  status: boolean;
}

export interface Feedback {
  /** Distinguishes this gate's comment and status from those of others in the same pipeline: the gate's file, or its name. */
  gate: string;
  comment: string;
  status: { isGood: boolean; words: string; url: string | null };
}

/** Never throws, since the gate's answer stands: says what could not be reported. */
export async function reportToForge({ forge, token, ...wanted }: FeedbackWishes, feedback: Feedback): Promise<void> {
  if (!wanted.comment && !wanted.status) return;
  const say = (words: string | undefined) => words !== undefined && console.error(`pronghorn: ${plain(words)}`);
  if (forge === null) say('No comment and no status: this is not a pipeline of GitHub or GitLab.');
  else if (token === null)
    say(`No comment and no status: the variable ${forge.kind === 'github' ? 'GITHUB_TOKEN' : 'GITLAB_TOKEN'} is not set.`);
  else {
    if (wanted.comment) say(await comment(forge, token, feedback));
    if (wanted.status) say(await commitStatus(forge, token, feedback));
  }
}

/** GitHub's limit is 65,536 characters, GitLab's a million. */
const maxCharacters = 60_000;
const timeoutMs = 15_000;
const maxPages = 30;

/** @returns what could not be written, and why, in a sentence; undefined: it is done, or the pipeline is of no pull request */
async function comment(forge: Forge, token: string, { gate, comment: text }: Feedback): Promise<string | undefined> {
  if (forge.change === null) return undefined;
  const { change } = forge;
  // Anyone who may comment could write the marker too: only this token's own comment is updated.
  const marker = `<!-- pronghorn-gate ${gate.replace(/--+|[^\w./ -]/g, '_')} -->`;
  const body = `${marker}\n${shortened(text)}`;
  const api = forgeApi(forge, token);
  return attempt(`The comment on ${forge.kind === 'github' ? 'pull' : 'merge'} request ${change}`, forge, async () => {
    const { list, one } = api.comments(change);
    const isOwn = await ownComments(api.ask);
    let before: Comment | undefined;
    for (let page = 1; page <= maxPages && before === undefined; page++) {
      const comments = (await api.ask('GET', `${list}?per_page=100&page=${page}`)) as Comment[];
      before = comments.find((each) => each.body?.startsWith(marker) && isOwn(each));
      if (comments.length < 100) break;
    }
    if (before === undefined) await api.ask('POST', list, { body });
    else await api.ask(forge.kind === 'github' ? 'PATCH' : 'PUT', one(before.id), { body });
  });
}

async function commitStatus(forge: Forge, token: string, { gate, status }: Feedback): Promise<string | undefined> {
  if (forge.commit === null) return undefined;
  const { commit } = forge;
  const { ask } = forgeApi(forge, token);
  const name = gate === 'pronghorn.json' ? 'pronghorn gate' : `pronghorn gate (${gate})`;
  const description = status.words.length > 140 ? `${status.words.slice(0, 139)}…` : status.words;
  const link = status.url === null ? {} : { target_url: status.url };
  return attempt(`The status of commit ${commit.slice(0, 10)}`, forge, async () => {
    if (forge.kind === 'github')
      await ask('POST', `/repos/${forge.project}/statuses/${commit}`, {
        ...{ state: status.isGood ? 'success' : 'failure', context: name, description, ...link },
      });
    else
      await ask('POST', `/projects/${encodeURIComponent(forge.project)}/statuses/${commit}`, {
        ...{ state: status.isGood ? 'success' : 'failed', name, description, ...link },
      });
  });
}

/** What both forges have. */
interface Comment {
  id: number;
  body?: string;
  user?: { login?: string; type?: string } | null;
  author?: { username?: string } | null;
}

/** Comments of the token's user. The token of GitHub Actions belongs to no user, and may not ask for one: its comments are those of bots. */
async function ownComments(ask: Ask): Promise<(comment: Comment) => boolean> {
  try {
    const me = (await ask('GET', '/user')) as { login?: string; username?: string };
    const name = me.login ?? me.username;
    return ({ user, author }) => (user?.login ?? author?.username) === name;
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 403) throw error;
    return ({ user }) => user?.type === 'Bot';
  }
}

type Ask = (method: string, path: string, body?: object) => Promise<unknown>;

class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function forgeApi({ kind, apiUrl, project }: Forge, token: string) {
  const isGithub = kind === 'github';
  const headers = isGithub
    ? { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
    : { 'private-token': token, accept: 'application/json' };
  const ask: Ask = async (method, path, body) => {
    const answer = await fetch(apiUrl + path, {
      method,
      headers: { ...headers, 'user-agent': 'pronghorn-gate', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error', // a redirect would take the token along
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Refused(answer.status, `${answer.status} ${messageOf(text)}`.trim());
    return text === '' ? null : JSON.parse(text);
  };
  const comments = (change: number) =>
    isGithub
      ? { list: `/repos/${project}/issues/${change}/comments`, one: (id: number) => `/repos/${project}/issues/comments/${id}` }
      : gitlabNotes(`/projects/${encodeURIComponent(project)}/merge_requests/${change}/notes`);
  return { ask, comments };
}

const gitlabNotes = (list: string) => ({ list, one: (id: number) => `${list}/${id}` });

/** GitHub's message is a text, GitLab's a text, a list or an object. */
function messageOf(text: string): string {
  try {
    const { message, error } = JSON.parse(text) as { message?: unknown; error?: unknown };
    const reason = message ?? error ?? '';
    return typeof reason === 'string' ? reason : JSON.stringify(reason);
  } catch {
    return '';
  }
}

async function attempt(what: string, { kind }: Forge, work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    const of = kind === 'github' ? 'GitHub' : 'GitLab';
    if (!(error instanceof Refused)) {
      const { cause, message } = error as Error;
      return `${what} could not be written: ${of} does not answer (${(cause as Error | undefined)?.message || message}).`;
    }
    const hint = [401, 403, 404].includes(error.status) ? ` ${hints[kind]}` : '';
    return `${what} could not be written: ${of} answered ${error.message}.${hint}`;
  }
}

const hints = {
  github: 'GITHUB_TOKEN needs the permissions "pull-requests: write" and "statuses: write". Pipelines of forks have neither.',
  gitlab: 'GITLAB_TOKEN needs the scope api and the role of a developer.',
};

/** Cuts between lines: a broken table row would break the rest. */
function shortened(text: string): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, text.lastIndexOf('\n', maxCharacters))}\n\nThe rest is in the report, since it is too long for a comment.\n`;
}
