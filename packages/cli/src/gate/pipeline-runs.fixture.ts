// Runs as GitHub (docs.github.com, "Variables reference", "Webhook events and payloads") and GitLab (docs.gitlab.com, "Predefined CI/CD variables")
// document them, by their environment and their event's payload.
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
