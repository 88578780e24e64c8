import { type PolicyFileParse, type PolicyProblem, parsePolicyFile } from '../../config/policy-file.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import { mergePolicy } from '../../core/policy/merge-policy.ts';
import type { OperatorPolicy } from '../../core/policy/operator-policy.ts';
import type { PolicyLayer } from '../../core/policy/policy-layer.ts';

/** The effective policy of a pull request. */
export interface TakenPolicy {
  /** Merged from the valid files only. */
  readonly policy: Policy;
  /** Problems in the files or in their combination, one line each. While there is any, nothing may be launched. */
  readonly problems: readonly string[];
  /** Values that a ceiling of the operator lowered, one line each: `maxAttempts: 10 → 5 (operator)`. */
  readonly clamped: readonly string[];
  /** The parsed file of the organisation, so that another repository file can be merged over it. */
  readonly organization: PolicyFileParse;
}

/**
 * Merges built-in defaults < defaults of the operator < file of the organisation < file of the repository, then applies the
 * ceilings of the operator. Uses the files of the base only; the file at the head has no effect.
 */
export function takePolicy(
  facts: Pick<PullRequestFacts, 'policyText' | 'organizationPolicyText'>,
  operator: OperatorPolicy,
): TakenPolicy {
  return putTogether(parsePolicyFile(facts.organizationPolicyText), parsePolicyFile(facts.policyText), operator);
}

/** The policy from two parsed files. */
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

/** An invalid file has no effect at all. */
function toLayer(parsed: PolicyFileParse): PolicyLayer {
  return parsed.kind === 'ok' ? parsed.layer : {};
}

function toProblems(parsed: PolicyFileParse): readonly PolicyProblem[] {
  return parsed.kind === 'invalid' ? parsed.problems : [];
}

function toLine({ line, message }: PolicyProblem): string {
  return `line ${String(line)}: ${message}`;
}
