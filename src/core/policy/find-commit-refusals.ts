import type { CommitIdentity } from '../model/commit-identity.ts';
import type { CommitPattern } from '../model/pull-request.ts';

/** A commit that Ratchet would make. */
export interface ExpectedCommit {
  readonly identity: CommitIdentity;
  /** Messages that it may have. A rule that accepts one of them refuses nothing. */
  readonly messages: readonly string[];
}

const RULES: Readonly<Record<CommitPattern['of'], string>> = {
  author_email: 'COMMIT_AUTHOR_EMAIL_PATTERN',
  committer_email: 'COMMITTER_EMAIL_PATTERN',
  message: 'COMMIT_MESSAGE_PATTERN',
};

const NAMES: Readonly<Record<CommitPattern['of'], string>> = {
  author_email: 'the address of the author',
  committer_email: 'the address of the committer',
  message: 'the message',
};

/**
 * The rules of the head branch that would refuse our commits, one sentence each, so that no agent works in vain. A rule that cannot
 * be judged here counts as satisfied: the push itself then tells.
 */
export function findCommitRefusals(patterns: readonly CommitPattern[], commit: ExpectedCommit): readonly string[] {
  return patterns.flatMap((rule) => {
    const texts = rule.of === 'message' ? commit.messages : [commit.identity.email];
    return texts.some((text) => mayPass(rule, text)) ? [] : [toSentence(rule, commit)];
  });
}

function mayPass({ operator, pattern, negate }: CommitPattern, text: string): boolean {
  const matches = findMatch(operator, pattern, text);
  return matches === null || matches !== negate;
}

/** null: unknown. */
function findMatch(operator: string, pattern: string, text: string): boolean | null {
  switch (operator.toLowerCase()) {
    case 'starts_with':
      return text.startsWith(pattern);
    case 'ends_with':
      return text.trimEnd().endsWith(pattern);
    case 'contains':
      return text.includes(pattern);
    case 'regex':
      return findRegexMatch(pattern, text);
    default:
      return null;
  }
}

const MAX_PATTERN_LENGTH = 200;
const MAX_UNBOUNDED = 2;

/**
 * GitHub's expressions are of RE2, which takes linear time. Here only those are tried that cannot take long: without repeated groups
 * and back references, and with few unbounded repetitions. null: not tried, or not an expression of this language.
 */
function findRegexMatch(pattern: string, text: string): boolean | null {
  const unbounded = pattern.match(/[*+]|\{\d+,\}/g)?.length ?? 0;
  const isCostly = /\)[*+{]|\\[1-9k]/.test(pattern) || unbounded > MAX_UNBOUNDED;
  if (isCostly || pattern.length > MAX_PATTERN_LENGTH) return null;
  try {
    return new RegExp(pattern, 'u').test(text.trimEnd());
  } catch {
    return null;
  }
}

function toSentence({ of, pattern, negate }: CommitPattern, { identity }: ExpectedCommit): string {
  const own = of === 'message' ? "Ratchet's messages do" : `${identity.email} does`;
  const must = negate ? 'must not match' : 'must match';
  const but = negate ? '' : ' not';
  const rule = `the rule ${RULES[of]}: ${NAMES[of]} ${must} ${JSON.stringify(pattern)}, and ${own}${but}`;
  return `A push to the head branch would be refused by ${rule}.`;
}
