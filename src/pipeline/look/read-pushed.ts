import { findUntoldPush, type PushObservation } from '../../core/decide/observe.ts';
import { findPushers, type PushOrigin, toPeople } from '../../core/decide/push-origin.ts';
import type { Asked } from '../../core/model/ask.ts';
import { GitHubError } from '../../core/model/errors.ts';
import type { EpochMs, Sha } from '../../core/model/ids.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { Deps } from '../deps.ts';
import { findTakenBack } from './find-taken-back.ts';
import { DECIDING_AGE_MS } from './take-review-verdict.ts';

type PushedDeps = Pick<Deps, 'github' | 'log' | 'store'>;

/** Maximum number of people whose permission is read for one push. */
const MAX_PEOPLE = 5;

/**
 * Who moved the head since Ratchet last accounted for it, and whether a person reverted a commit of Ratchet with that. Makes no
 * call unless the head moved by other than Ratchet's own push and there is something that a person's push would change.
 */
export async function readPushed(
  deps: PushedDeps,
  known: { readonly workspace: Workspace & Asked; readonly facts: PullRequestFacts; readonly now: EpochMs },
  signal: AbortSignal,
): Promise<PushObservation> {
  const { workspace, facts, now } = known;
  const untold = facts.fork ? null : findUntoldPush(workspace, facts, now);
  if (untold === null) return { origin: null, takenBack: null };
  const range = { ...untold, headSha: facts.headSha };
  const origin = await readOrigin(deps, { workspace, headRef: facts.headRef, range }, signal);
  if (origin.kind !== 'person') return { origin, takenBack: null };
  return { origin, takenBack: await findTakenBack(deps, { workspace, range, by: origin.by, now }, signal) };
}

/** Anything but a rate limit that GitHub answers means that it is not known. */
async function readOrigin(
  { github, log }: PushedDeps,
  of: {
    readonly workspace: Workspace;
    readonly headRef: string;
    readonly range: { readonly fromSha: Sha; readonly headSha: Sha };
  },
  signal: AbortSignal,
): Promise<PushOrigin> {
  const { key, repository } = of.workspace;
  try {
    const pushers = findPushers(await github.readPushes(repository, of.headRef, signal), of.range);
    if (pushers === null) return { kind: 'unknown' };
    for (const by of toPeople(pushers).slice(0, MAX_PEOPLE)) {
      const { userId, permission } = await github.readPermission(repository, by.login, signal, DECIDING_AGE_MS);
      if (userId === by.id && (permission === 'write' || permission === 'admin')) return { kind: 'person', by };
    }
    return { kind: 'machine' };
  } catch (error) {
    if (!(error instanceof GitHubError) || error.code === 'RATE_LIMITED') throw error;
    log.warn({ key, error, code: error.code }, 'GitHub did not tell who pushed');
    return { kind: 'unknown' };
  }
}
