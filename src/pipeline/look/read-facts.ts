import type { PullRequestFacts, PullRequestRef } from '../../core/model/pull-request.ts';
import type { Deps } from '../deps.ts';
import { type TakenPolicy, takePolicy } from './take-policy.ts';

/** A pull request as it was read, with the policy that holds for it. */
export interface ReadFacts extends PullRequestFacts {
  readonly taken: TakenPolicy;
}

/** How a pull request is read: live where nothing is said. */
export interface HowToRead {
  /** An answer that is at most so old will do. */
  readonly maxAgeMs?: number;
  /** Others that are read with the same query; null: it is read alone. */
  readonly others?: readonly PullRequestRef[] | null;
}

/** Reads a pull request, and its policy once; null when it is gone. */
export async function readFacts(
  { github, settings }: Pick<Deps, 'github' | 'settings'>,
  ref: PullRequestRef,
  signal: AbortSignal,
  { maxAgeMs = 0, others = null }: HowToRead = {},
): Promise<ReadFacts | null> {
  const facts =
    others === null
      ? await github.readPullRequest(ref, signal, maxAgeMs)
      : await github.readTogether(ref, others, signal);
  return facts === null ? null : { ...facts, taken: takePolicy(facts, settings.operatorPolicy) };
}
