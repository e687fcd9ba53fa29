// What a pipeline's environment says: the change that it is about, and where its forge takes feedback.
import { readFileSync } from 'node:fs';
import type { Annotations, PipelineEvent } from '@pronghorn/core/schemas';

type Environment = Readonly<Record<string, string | undefined>>;

export type Forge = {
  kind: 'github' | 'gitlab';
  /** URL of its REST API, without a final slash. */
  apiUrl: string;
  /** GitHub: owner/name; GitLab: the id of the project that has the merge request. */
  project: string;
  /** Number of the pull or merge request; null: the pipeline is of none. */
  change: number | null;
  /** The measured commit; null: unknown. */
  commit: string | null;
};

interface Pipeline {
  annotations: Annotations;
  /** Null outside pipelines of GitHub and GitLab. */
  forge: Forge | null;
}

type Change = Pick<Annotations, 'commit' | 'branch' | 'event' | 'pullRequest'>;

/**
 * Reads the variables of GitHub Actions (docs.github.com: "Variables reference", "Events that trigger workflows", "Webhook events and payloads") and of
 * GitLab CI (docs.gitlab.com, "Predefined CI/CD variables"), which others set too. For a pull request, commit and branch are those it comes from,
 * never the merge commit that only the pipeline has.
 */
export function pipelineOf(environment: Environment): Pipeline {
  const isGithub = Boolean(environment.GITHUB_REPOSITORY || environment.GITHUB_SHA);
  const change = isGithub ? ofGithub(environment) : ofGitlab(environment);
  const buildUrl = runOf(environment) || environment.CI_JOB_URL || environment.CI_PIPELINE_URL;
  const annotations = {
    ...(change.commit ? { commit: change.commit } : {}),
    ...(change.branch ? { branch: change.branch.slice(0, 200) } : {}),
    ...(change.event === undefined ? {} : { event: change.event }),
    ...(change.pullRequest === undefined ? {} : { pullRequest: change.pullRequest }),
    ...(buildUrl && /^https?:\/\//.test(buildUrl) ? { buildUrl } : {}),
  };
  return { annotations, forge: forgeOf(environment, annotations) };
}

const runOf = ({ GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY, GITHUB_RUN_ID }: Environment) =>
  GITHUB_REPOSITORY && GITHUB_RUN_ID ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}` : '';

function forgeOf(environment: Environment, { commit, pullRequest }: Annotations): Forge | null {
  const {
    CI_MERGE_REQUEST_IID: request,
    GITHUB_REPOSITORY,
    GITHUB_API_URL = 'https://api.github.com',
    CI_API_V4_URL,
    CI_PROJECT_ID,
    CI_MERGE_REQUEST_PROJECT_ID,
  } = environment;
  const of = (kind: Forge['kind'], apiUrl: string, project: string, change: number | null): Forge => ({
    ...{ kind, project, change, commit: commit ?? null },
    apiUrl: apiUrl.replace(/\/+$/, ''),
  });
  if (GITHUB_REPOSITORY) return of('github', GITHUB_API_URL, GITHUB_REPOSITORY, pullRequest ?? null);
  const project = CI_MERGE_REQUEST_PROJECT_ID || CI_PROJECT_ID;
  return CI_API_V4_URL && project ? of('gitlab', CI_API_V4_URL, project, request ? Number(request) : null) : null;
}

interface Payload {
  repository?: { full_name?: string };
  /** Null: where forges other than GitHub have none. */
  pull_request?: null | {
    number?: number;
    head?: { sha?: string; ref?: string; label?: string; repo?: { full_name?: string } | null };
    base?: { repo?: { full_name?: string } };
  };
  merge_group?: { head_sha?: string };
  workflow_run?: null | {
    event?: string;
    head_sha?: string;
    head_branch?: string | null;
    head_repository?: { full_name?: string };
    pull_requests?: { number?: number }[];
  };
  deployment?: { sha?: string; ref?: string };
  issue?: { number?: number; pull_request?: object };
}

const githubEvents: Record<string, PipelineEvent> = {
  push: 'push',
  merge_group: 'merge-queue',
  schedule: 'schedule',
  workflow_dispatch: 'manual',
  deployment: 'deployment',
  deployment_status: 'deployment',
};

function ofGithub(environment: Environment): Change {
  const { GITHUB_EVENT_NAME = '', GITHUB_SHA, GITHUB_HEAD_REF, GITHUB_REF = '', GITHUB_REF_NAME, GITHUB_REF_TYPE } = environment;
  const payload = payloadOf(environment.GITHUB_EVENT_PATH);
  const { deployment, issue } = payload;
  const [request, run] = [payload.pull_request ?? undefined, payload.workflow_run ?? undefined];
  if (request !== undefined || GITHUB_HEAD_REF || GITHUB_EVENT_NAME.startsWith('pull_request')) {
    const number = request?.number ?? Number(/^refs\/pull\/(\d+)\//.exec(GITHUB_REF)?.[1]);
    const isFork = request?.head !== undefined && request.head.repo?.full_name !== request.base?.repo?.full_name;
    return changeOf({
      commit: request?.head?.sha,
      branch: isFork ? request.head?.label : (request?.head?.ref ?? GITHUB_HEAD_REF),
      pullRequest: number,
    });
  }
  // Pipelines of comments have the default branch's commit and name.
  if (issue?.pull_request !== undefined) return changeOf({ pullRequest: issue.number });
  if (run !== undefined) {
    const isFork = run.head_repository?.full_name !== payload.repository?.full_name;
    const branch = isFork ? `${run.head_repository?.full_name?.split('/')[0]}:${run.head_branch}` : (run.head_branch ?? undefined);
    if (isFork || run.event?.startsWith('pull_request'))
      return changeOf({ commit: run.head_sha, branch, pullRequest: run.pull_requests?.[0]?.number });
    return { ...eventOf(githubEvents[run.event ?? '']), ...commitOf(run.head_sha), ...(branch ? { branch } : {}) };
  }
  if (GITHUB_REF_TYPE === 'tag') return { ...eventOf('tag'), ...commitOf(GITHUB_SHA) };
  const branch = GITHUB_REF_NAME || deployment?.ref;
  return {
    ...eventOf(githubEvents[GITHUB_EVENT_NAME]),
    ...commitOf(payload.merge_group?.head_sha ?? deployment?.sha ?? GITHUB_SHA),
    ...(branch ? { branch } : {}),
  };
}

function payloadOf(path: string | undefined): Payload {
  try {
    return path ? ((JSON.parse(readFileSync(path, 'utf8')) as Payload | null) ?? {}) : {};
  } catch {
    return {}; // other forges set the variable without writing the file
  }
}

const gitlabEvents: Record<string, PipelineEvent> = { push: 'push', schedule: 'schedule', web: 'manual', chat: 'manual', webide: 'manual' };

function ofGitlab(environment: Environment): Change {
  const { CI_COMMIT_SHA, CI_COMMIT_TAG, CI_COMMIT_REF_NAME, CI_PIPELINE_SOURCE = '' } = environment;
  // The second is for projects whose repository is elsewhere, such as on GitHub.
  for (const kind of ['CI_MERGE_REQUEST', 'CI_EXTERNAL_PULL_REQUEST']) {
    const of = (name: string) => environment[`${kind}_${name}`] || undefined;
    if (of('IID') === undefined) continue;
    const [source, target] = [of('SOURCE_PROJECT_PATH') ?? of('SOURCE_REPOSITORY'), of('PROJECT_PATH') ?? of('TARGET_REPOSITORY')];
    const branch = of('SOURCE_BRANCH_NAME');
    const change = changeOf({
      // Empty where the pipeline runs on the source branch itself, not on the merged result.
      commit: of('SOURCE_BRANCH_SHA') ?? CI_COMMIT_SHA,
      branch: source === target ? branch : `${source}:${branch}`,
      pullRequest: Number(of('IID')),
    });
    return of('EVENT_TYPE') === 'merge_train' ? { ...change, event: 'merge-queue' } : change;
  }
  if (CI_COMMIT_TAG) return { ...eventOf('tag'), ...commitOf(CI_COMMIT_SHA) };
  return {
    ...eventOf(gitlabEvents[CI_PIPELINE_SOURCE]),
    ...commitOf(CI_COMMIT_SHA),
    ...(CI_COMMIT_REF_NAME ? { branch: CI_COMMIT_REF_NAME } : {}),
  };
}

const changeOf = ({ commit, branch, pullRequest }: { [Name in keyof Change]?: Change[Name] | undefined }): Change => ({
  event: 'pull-request',
  ...commitOf(commit),
  ...(branch === undefined ? {} : { branch }),
  ...(pullRequest === undefined || !Number.isSafeInteger(pullRequest) ? {} : { pullRequest }),
});
const commitOf = (commit: string | undefined) => (commit ? { commit } : {});
const eventOf = (event: PipelineEvent | undefined) => (event === undefined ? {} : { event });
