import type { PullRequestFacts, PullRequestRef } from '../../core/model/pull-request.ts';
import type { Deps } from '../deps.ts';
import { type TakenPolicy, takePolicy } from './take-policy.ts';

/** A pull request with its effective policy. */
export interface ReadFacts extends PullRequestFacts {
  readonly taken: TakenPolicy;
}

/** How to read a pull request. The default is live. */
export interface HowToRead {
  /** Accepts a cached answer of at most this age. */
  readonly maxAgeMs?: number;
  /** Others of the repository to read with the same query. null: read this one alone. */
  readonly others?: readonly PullRequestRef[] | null;
}

/** Reads a pull request and its effective policy; null: it is gone. */
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
