import type { CommitPattern, Protection } from '../protection.ts';

/** Facts about one pushed branch, from git. */
export type PushedBranch = {
  readonly branch: string;
  readonly isDeleted: boolean;
  /** Whether the push discards commits. */
  readonly isForced: boolean;
  /** Unsigned commits that the push adds to the branch, newest first. */
  readonly unsignedShas: readonly string[];
  /** The commits that the push adds, with what rules look at. */
  readonly commits: readonly (Readonly<Record<CommitPattern['of'], string>> & { readonly sha: string })[];
};

/** A refusal in GitHub's format: the lines that git shows with `remote: `, and the reason beside the ref. */
export type Refusal = { readonly lines: readonly string[]; readonly reason: string };

const NOT_AUTHORIZED =
  "You're not authorized to push to this branch. Visit https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches for more information.";

/** Most commits that are listed. Further ones are only counted. */
const MAX_NAMED = 1000;

/** The violations of a rule in GitHub's words, each with its following lines. */
function violationsOf(rule: Protection, push: PushedBranch): readonly (readonly string[])[] {
  const isClassic = rule.shape === 'protection';
  if (push.isDeleted) return isClassic ? [['Cannot delete this branch']] : [];
  const found = [
    isClassic && push.isForced ? ['Cannot force-push to this branch'] : [],
    rule.restrictsPushes ? [isClassic ? NOT_AUTHORIZED : 'Cannot update this protected ref.'] : [],
    needsPullRequest(rule) ? ['Changes must be made through a pull request.'] : [],
    rule.requiresSignatures ? signatureLines(rule, push.unsignedShas) : [],
    checkLines(rule.requiredChecks),
    ...rule.commitPatterns.map((pattern) => patternLines(pattern, push.commits)),
  ];
  return found.filter((lines) => lines.length > 0);
}

function needsPullRequest(rule: Protection): boolean {
  const isRulesetOnly = rule.shape === 'ruleset' && rule.requiresResolvedThreads;
  return rule.requiredApprovals > 0 || rule.dismissStaleReviews || isRulesetOnly;
}

function checkLines(checks: readonly string[]): readonly string[] {
  if (checks.length > 1) return [`${checks.length} of ${checks.length} required status checks are expected.`];
  return checks.map((check) => `Required status check "${check}" is expected.`);
}

const SUBJECTS = {
  author_email: 'Author email',
  committer_email: 'Committer email',
  message: 'Commit message',
} as const;

function patternLines(rule: CommitPattern, commits: PushedBranch['commits']): readonly string[] {
  const shas = commits.filter((commit) => isMatch(rule, commit[rule.of]) === rule.negate).map(({ sha }) => sha);
  if (shas.length === 0) return [];
  const demand = `must ${rule.negate ? 'not ' : ''}match a given ${rule.operator} pattern: ${rule.pattern}`;
  return [`${SUBJECTS[rule.of]} ${demand}`, ...shas.map((sha) => `  ${sha}`)];
}

function isMatch({ operator, pattern }: CommitPattern, text: string): boolean {
  if (operator === 'starts_with') return text.startsWith(pattern);
  if (operator === 'ends_with') return text.endsWith(pattern);
  return operator === 'contains' ? text.includes(pattern) : new RegExp(pattern, 'u').test(text);
}

function signatureLines(rule: Protection, shas: readonly string[]): readonly string[] {
  if (shas.length === 0) return [];
  const text = 'Commits must have verified signatures.';
  if (rule.shape === 'protection') return [text];
  const count = `Found ${shas.length} violation${shas.length === 1 ? '' : 's'}:`;
  return [text, `  ${count}`, '', ...shas.slice(0, MAX_NAMED).map((sha) => `  ${sha}`)];
}

/** GitHub's answer to a push that violates rules of the branch; null if it violates none. */
export function toRefusal(rules: readonly Protection[], push: PushedBranch, page: string): Refusal | null {
  const ref = `refs/heads/${push.branch}`;
  for (const shape of ['protection', 'ruleset'] as const) {
    const violations = rules.filter((rule) => rule.shape === shape).flatMap((rule) => violationsOf(rule, push));
    if (violations.length === 0) continue;
    const body = violations.flatMap(([first = '', ...rest]) => ['', `- ${first}`, ...rest]);
    if (shape === 'protection') {
      const lines = [`error: GH006: Protected branch update failed for ${ref}.`, ...body];
      return { lines, reason: 'protected branch hook declined' };
    }
    const review = `Review all repository rules at ${page}/rules?ref=${encodeURIComponent(ref)}`;
    const lines = [`error: GH013: Repository rule violations found for ${ref}.`, review, ...body, ''];
    return { lines, reason: 'push declined due to repository rule violations' };
  }
  return null;
}
