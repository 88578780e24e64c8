import type { BranchRules, PullRequestFacts, PullRequestRef } from '../../core/model/pull-request.ts';
import { findCommitRefusals } from '../../core/policy/find-commit-refusals.ts';
import { toOperatorPolicyOf } from '../../core/policy/operator-policy.ts';
import { signOff, toExpectedMessages } from '../../core/sessions/commit-message.ts';
import type { GitHub } from '../../ports/github.ts';
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
  if (facts === null) return null;
  const taken = takePolicy(facts, toOperatorPolicyOf(settings.operatorPolicy, ref.repository));
  const isBehind = taken.policy.merge.updateBranch && (await isSecretlyBehind(github, ref, facts, signal));
  const rules = await withCommitRefusals({ github, settings }, ref, facts, signal);
  return { ...facts, rules, ...(isBehind ? { merge: 'behind' } : {}), taken };
}

/** The rules, with refusals that depend on who makes our commits and on their messages. */
async function withCommitRefusals(
  { github, settings }: Pick<Deps, 'github' | 'settings'>,
  { repository }: PullRequestRef,
  facts: PullRequestFacts,
  signal: AbortSignal,
): Promise<BranchRules> {
  const { rules } = facts;
  if (rules.commitPatterns.length === 0) return rules;
  const identity = await github.readCommitIdentity(repository, signal);
  const expected = toExpectedMessages(facts);
  const messages = settings.signsOff ? expected.map((message) => signOff(message, identity)) : expected;
  const refusals = findCommitRefusals(rules.commitPatterns, { identity, messages });
  return { ...rules, pushRefusals: [...rules.pushRefusals, ...refusals] };
}

/** GitHub reports BLOCKED instead of BEHIND while anything else is missing, its own requirement of our check run included. */
async function isSecretlyBehind(
  { readMergeBase }: Pick<GitHub, 'readMergeBase'>,
  { repository }: PullRequestRef,
  { isBlocked, merge, rules, baseSha, headSha }: PullRequestFacts,
  signal: AbortSignal,
): Promise<boolean> {
  if (!isBlocked || merge !== 'clean' || !rules.mustBeUpToDate) return false;
  const mergeBase = await readMergeBase(repository, baseSha, headSha, signal);
  return mergeBase !== null && mergeBase !== baseSha;
}
