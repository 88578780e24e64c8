import type { PullRequestFacts, PullRequestRef } from '../../core/model/pull-request.ts';
import type { Deps } from '../deps.ts';
import { type TakenPolicy, takePolicy } from './take-policy.ts';

/** A pull request as it was read, with the policy that holds for it. */
export interface ReadFacts extends PullRequestFacts {
  readonly taken: TakenPolicy;
}

/** Reads a pull request, and its policy once; null when it is gone. */
export async function readFacts(
  { github, settings }: Pick<Deps, 'github' | 'settings'>,
  ref: PullRequestRef,
  signal: AbortSignal,
): Promise<ReadFacts | null> {
  const facts = await github.readPullRequest(ref, signal);
  return facts === null ? null : { ...facts, taken: takePolicy(facts, settings.operatorPolicy) };
}
