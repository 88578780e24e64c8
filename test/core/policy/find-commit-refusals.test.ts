import { describe, expect, it } from 'vitest';
import type { CommitPattern } from '../../../src/core/model/pull-request.ts';
import { findCommitRefusals } from '../../../src/core/policy/find-commit-refusals.ts';

const identity = { name: 'our-app[bot]', email: '7+our-app[bot]@users.noreply.github.com' };
const messages = ['fix: make the failing checks pass\n\nRatchet-Attempt: 1\n', 'fix: address review comments\n'];

function refusals(change: Partial<CommitPattern>): readonly string[] {
  const rule: CommitPattern = { of: 'author_email', operator: 'contains', pattern: '', negate: false, ...change };
  return findCommitRefusals([rule], { identity, messages });
}

describe('a rule on commits (S48)', () => {
  it.each<readonly [boolean, Partial<CommitPattern>]>([
    [false, { operator: 'ends_with', pattern: '@users.noreply.github.com' }],
    [true, { operator: 'ends_with', pattern: '@example.org' }],
    [true, { operator: 'ENDS_WITH', pattern: '@example.org' }],
    [false, { operator: 'starts_with', pattern: '7+' }],
    [true, { operator: 'starts_with', pattern: '8+' }],
    [true, { operator: 'contains', pattern: '[bot]', negate: true }],
    [false, { operator: 'contains', pattern: 'example', negate: true }],
    [true, { operator: 'regex', pattern: '@example\\.org$' }],
    [false, { operator: 'regex', pattern: '^\\d+\\+.*@users\\.noreply' }],
    [true, { of: 'committer_email', pattern: '@example.org' }],
    [false, { of: 'message', operator: 'regex', pattern: '^(feat|fix|chore)(\\(.+\\))?: .+' }],
    [false, { of: 'message', operator: 'ends_with', pattern: 'comments' }],
    [true, { of: 'message', operator: 'regex', pattern: '^[A-Z]+-\\d+ ' }],
    [true, { of: 'message', operator: 'starts_with', pattern: 'JIRA-' }],
    [false, { of: 'message', operator: 'contains', pattern: 'reviews', negate: true }],
  ])('refuses our commits: %s for %o', (isRefused, rule) => {
    expect(refusals(rule)).toHaveLength(isRefused ? 1 : 0);
  });

  it.each<Partial<CommitPattern>>([
    { operator: 'newer', pattern: 'x' },
    { operator: 'regex', pattern: '(a+)+$' },
    { operator: 'regex', pattern: '(a)\\1' },
    { operator: 'regex', pattern: 'x+y+z+' },
    { operator: 'regex', pattern: 'x{2,}y{3,}z*' },
    { operator: 'regex', pattern: '(' },
    { operator: 'regex', pattern: '\\Ax\\z' },
    { operator: 'regex', pattern: 'x'.repeat(201) },
  ])('that cannot be judged here refuses nothing: $operator $pattern', (rule) => {
    expect(refusals(rule)).toEqual([]);
  });

  it('is told with what it demands', () => {
    expect([
      ...refusals({ pattern: '@example.org' }),
      ...refusals({ of: 'message', pattern: 'fix', negate: true }),
    ]).toEqual([
      'A push to the head branch would be refused by the rule COMMIT_AUTHOR_EMAIL_PATTERN: the address of the author must match "@example.org", and 7+our-app[bot]@users.noreply.github.com does not.',
      'A push to the head branch would be refused by the rule COMMIT_MESSAGE_PATTERN: the message must not match "fix", and Ratchet\'s messages do.',
    ]);
  });
});
