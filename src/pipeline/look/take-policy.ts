import { type PolicyFileParse, type PolicyProblem, parsePolicyFile } from '../../config/policy-file.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import { mergePolicy } from '../../core/policy/merge-policy.ts';
import type { OperatorPolicy } from '../../core/policy/operator-policy.ts';
import type { PolicyLayer } from '../../core/policy/policy-layer.ts';

/** The policy that holds for a pull request. */
export interface TakenPolicy {
  /** Of the files that are valid, where one is not. */
  readonly policy: Policy;
  /** What is wrong with the files that it comes from, or with them together, one line each; nothing may be launched while there is any. */
  readonly problems: readonly string[];
  /** What was asked for above a ceiling of the operator, one line each: `maxAttempts: 10 → 5 (operator)`. */
  readonly clamped: readonly string[];
  /** The organisation's file, over which another file of the repository can be put. */
  readonly organization: PolicyFileParse;
}

/**
 * Built-in < operator's defaults < organisation's file < repository's file, under the operator's ceilings. Reads the base only:
 * what the head says is never obeyed.
 */
export function takePolicy(
  facts: Pick<PullRequestFacts, 'policyText' | 'organizationPolicyText'>,
  operator: OperatorPolicy,
): TakenPolicy {
  return putTogether(parsePolicyFile(facts.organizationPolicyText), parsePolicyFile(facts.policyText), operator);
}

/** The policy that two files make, each of them parsed already. */
export function putTogether(
  organization: PolicyFileParse,
  repository: PolicyFileParse,
  operator: OperatorPolicy,
): TakenPolicy {
  const { policy, clamped, problems } = mergePolicy([toLayer(organization), toLayer(repository)], operator);
  return {
    policy,
    clamped,
    organization,
    problems: [
      ...toProblems(organization).map((problem) => `organisation's file in .github, ${toLine(problem)}`),
      ...toProblems(repository).map(toLine),
      ...problems,
    ],
  };
}

/** Nothing of a file that has a fault holds. */
function toLayer(parsed: PolicyFileParse): PolicyLayer {
  return parsed.kind === 'ok' ? parsed.layer : {};
}

function toProblems(parsed: PolicyFileParse): readonly PolicyProblem[] {
  return parsed.kind === 'invalid' ? parsed.problems : [];
}

function toLine({ line, message }: PolicyProblem): string {
  return `line ${String(line)}: ${message}`;
}
