// What a pipeline says of itself in its environment: commit, branch and where its run is looked at.
import type { Annotations } from '@pronghorn/core';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Of GitHub Actions (docs.github.com, "Default environment variables") and of GitLab CI (docs.gitlab.com, "Predefined CI/CD variables"), and
 * of those that speak GitLab's names; nothing elsewhere. Of a pull request the branch is the one it comes from.
 */
export function pipelineAnnotations(environment: Environment): Annotations {
  const { GITHUB_SHA, GITHUB_HEAD_REF, GITHUB_REF_NAME, GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = environment;
  const run =
    GITHUB_REPOSITORY && GITHUB_RUN_ID
      ? `${GITHUB_SERVER_URL ?? 'https://github.com'}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
      : '';
  const commit = GITHUB_SHA || environment.CI_COMMIT_SHA;
  const branch = GITHUB_HEAD_REF || GITHUB_REF_NAME || environment.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME || environment.CI_COMMIT_REF_NAME;
  const buildUrl = run || environment.CI_JOB_URL || environment.CI_PIPELINE_URL;
  return {
    ...(commit ? { commit } : {}),
    ...(branch ? { branch } : {}),
    ...(buildUrl && /^https?:\/\//.test(buildUrl) ? { buildUrl } : {}),
  };
}
