import type { BranchRules, CommitPattern } from '../core/model/pull-request.ts';
import type { RuledRefNode, RuleNode } from './pull-request-schema.ts';

const signedOnly = 'it takes signed commits only, and those of Ratchet are not signed';
const pullRequestOnly = 'it takes changes by pull request only';
const checkedOnly = 'it takes only commits whose required checks passed elsewhere';
const linearHistory = 'it takes no merge commits, and a conflict is resolved by one';

/**
 * Ruleset rules that refuse our push to the branch, and why. The other rules concern creating, deleting and
 * force-pushing, or the content of commits. A rule type that GitHub adds later is assumed to refuse nothing.
 * https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets
 */
const refusalsByRule: ReadonlyMap<string, string> = new Map([
  ['REQUIRED_SIGNATURES', signedOnly],
  ['UPDATE', 'only accounts that may bypass the rule push to it'],
  ['LOCK_BRANCH', 'it is read-only'],
  ['PULL_REQUEST', pullRequestOnly],
  ['MERGE_QUEUE', 'it takes changes by its merge queue only'],
  ['MERGE_QUEUE_LOCKED_REF', 'the merge queue holds it'],
  ['REQUIRED_STATUS_CHECKS', checkedOnly],
  ['REQUIRED_WORKFLOW_STATUS_CHECKS', 'it takes only commits whose required workflows passed elsewhere'],
  ['WORKFLOWS', 'it takes only commits whose required workflows passed elsewhere'],
  ['REQUIRED_DEPLOYMENTS', 'it takes only commits that were deployed before'],
  ['CODE_SCANNING', 'it takes only commits that were scanned elsewhere'],
]);

/** What is known about the two branches of a pull request. */
export interface BranchRulesInput {
  /** null if the head branch is deleted or lies in another repository. */
  readonly head: RuledRefNode | null;
  readonly base: RuledRefNode | null;
  /** Whether a token with push permission may push to the head branch. */
  readonly canPush: boolean;
  /** The pull request conflicts, so a fixup would be a merge commit. */
  readonly isConflicted: boolean;
  /** GitHub reports `BEHIND` only if the base requires up-to-date heads. Classic protection reports it nowhere else. */
  readonly isBehind: boolean;
}

/** What the rules of both branches mean for our push. Pure. */
export function toBranchRules({ head, base, canPush, isConflicted, isBehind }: BranchRulesInput): BranchRules {
  const baseRules = base?.rules?.nodes ?? [];
  const classic = base?.refUpdateRule ?? null;
  const refusals =
    head === null ? [] : [...toClassicRefusals(head, { canPush, isConflicted }), ...toRuleRefusals(head, isConflicted)];
  return {
    pushRefusals: [...new Set(refusals)],
    mustBeUpToDate: isBehind || baseRules.some((rule) => rule.parameters?.strictRequiredStatusChecksPolicy === true),
    commitPatterns: (head?.rules?.nodes ?? []).flatMap(toCommitPattern),
    requiredChecks: toRequiredChecks(classic, baseRules),
    dismissesStaleApprovals: baseRules.some(dismissesApprovals),
    mustResolveThreads: mustResolveThreads(classic, baseRules),
  };
}

function mustResolveThreads(
  classic: RuledRefNode['refUpdateRule'],
  rules: readonly Pick<RuleNode, 'parameters'>[],
): boolean {
  const isByRule = rules.some(({ parameters }) => parameters?.requiredReviewThreadResolution === true);
  return classic?.requiresConversationResolution === true || isByRule;
}

function toRequiredChecks(
  classic: RuledRefNode['refUpdateRule'],
  rules: readonly Pick<RuleNode, 'parameters'>[],
): readonly string[] {
  return [
    ...(classic?.requiredStatusCheckContexts ?? []).flatMap((context) => context ?? []),
    ...rules.flatMap(({ parameters }) => (parameters?.requiredStatusChecks ?? []).map(({ context }) => context)),
  ];
}

function toClassicRefusals(
  { refUpdateRule: rule }: RuledRefNode,
  { canPush, isConflicted }: Pick<BranchRulesInput, 'canPush' | 'isConflicted'>,
): readonly string[] {
  if (rule === null) return [];
  const reasons: readonly (readonly [boolean, string])[] = [
    [!canPush, 'it does not let Ratchet push'],
    [rule.requiresSignatures, signedOnly],
    [rule.requiredApprovingReviewCount !== null, pullRequestOnly],
    [(rule.requiredStatusCheckContexts ?? []).length > 0, checkedOnly],
    [rule.requiresLinearHistory && isConflicted, linearHistory],
  ];
  return reasons.filter(([isBroken]) => isBroken).map(([, why]) => toSentence('the branch protection', why));
}

function toRuleRefusals({ rules }: RuledRefNode, isConflicted: boolean): readonly string[] {
  return (rules?.nodes ?? []).flatMap(({ type }) => {
    const why = type === 'REQUIRED_LINEAR_HISTORY' && isConflicted ? linearHistory : refusalsByRule.get(type);
    return why === undefined ? [] : [toSentence(`the rule ${type}`, why)];
  });
}

function toSentence(what: string, why: string): string {
  return `A push to the head branch would be refused by ${what}: ${why}.`;
}

const patternRules: ReadonlyMap<string, CommitPattern['of']> = new Map([
  ['COMMIT_AUTHOR_EMAIL_PATTERN', 'author_email'],
  ['COMMITTER_EMAIL_PATTERN', 'committer_email'],
  ['COMMIT_MESSAGE_PATTERN', 'message'],
]);

function toCommitPattern({ type, parameters }: RuleNode): readonly CommitPattern[] {
  const of = patternRules.get(type);
  const { operator, pattern, negate = false } = parameters ?? {};
  return of === undefined || operator === undefined || pattern === undefined ? [] : [{ of, operator, pattern, negate }];
}

/** Whether approvals do not count after a push: they are dismissed, or someone else must approve the push. */
function dismissesApprovals({ parameters }: RuleNode): boolean {
  if ((parameters?.requiredApprovingReviewCount ?? 0) < 1) return false;
  return parameters?.dismissStaleReviewsOnPush === true || parameters?.requireLastPushApproval === true;
}
