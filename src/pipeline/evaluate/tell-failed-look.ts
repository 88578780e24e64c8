import { GitHubError } from '../../core/model/errors.ts';
import type { PullRequestKey } from '../../core/model/ids.ts';
import { isRefusal } from '../../core/runs/github-trouble.ts';
import type { Deps } from '../deps.ts';
import { replyToCommands } from '../people/reply-to-commands.ts';
import { reportFailedLook } from '../tell/report.ts';

type TellDeps = Pick<Deps, 'clock' | 'github' | 'log' | 'redact' | 'running' | 'store'>;

/** Comments answered after one failed look. More are answered by the next look that succeeds. */
const MAX_ANSWERED = 3;

/** Returns a function that waits for a part of a look, and reports its failure before it is thrown. */
export function createOrTell(
  deps: TellDeps,
  key: PullRequestKey,
  signal: AbortSignal,
): <Value>(part: Promise<Value>) => Promise<Value> {
  return async (part) => {
    try {
      return await part;
    } catch (error) {
      await tellFailedLook(deps, key, error, signal);
      throw error;
    }
  };
}

/**
 * Reports a look that failed at GitHub: on the open check run, and to who asked for the status. What cannot be written either is
 * left for the next look; other commands wait for it, too.
 */
async function tellFailedLook(deps: TellDeps, key: PullRequestKey, error: unknown, signal: AbortSignal): Promise<void> {
  const workspace = deps.store.workspace(key);
  if (!(error instanceof GitHubError) || signal.aborted || workspace?.enablement !== 'enabled') return;
  const failed = { why: deps.redact(error.message), isRefused: isRefusal(error) };
  const asked = deps.store
    .pendingCommands(key)
    .filter(({ author, command }) => command.name === 'status' && author.kind === 'user')
    .slice(0, MAX_ANSWERED)
    .map((stored) => ({ stored, owed: { kind: 'status' } as const }));
  try {
    await reportFailedLook(deps, workspace, failed, signal);
    await replyToCommands(deps, asked, { workspace, look: null, failed }, signal);
  } catch (second) {
    if (!(second instanceof GitHubError)) throw second;
    deps.log.warn({ key, error: second, code: second.code }, 'a failed look could not be reported');
  }
}
