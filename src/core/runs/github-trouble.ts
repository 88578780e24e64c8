import { GitHubError, RepositoryError } from '../model/errors.ts';

/** An error of GitHub's API, or of git on its way to GitHub. */
export type GitHubTrouble = GitHubError | RepositoryError;

/** Trouble that stays until a person does something. */
export type GitHubRefusal = GitHubTrouble;

/** Whether GitHub, not Ratchet or the repository's content, is why something failed. */
function isGitHubTrouble(error: unknown): error is GitHubTrouble {
  if (error instanceof GitHubError) return true;
  return error instanceof RepositoryError && (error.code === 'FETCH_FAILED' || error.code === 'REF_LAGS');
}

/**
 * Whether the error passes by itself: GitHub or its git is in trouble, limits Ratchet, or lags. It costs time, never an
 * attempt, and no person needs to do anything.
 */
export function isOutage(error: unknown): error is GitHubTrouble {
  return isGitHubTrouble(error) && error.retry !== 'never';
}

/** Whether GitHub refuses what Ratchet asks for, and will refuse it again. */
export function isRefusal(error: unknown): error is GitHubRefusal {
  return isGitHubTrouble(error) && error.retry === 'never';
}
