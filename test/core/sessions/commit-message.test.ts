import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSessionId, parseSha } from '../../../src/core/model/ids.ts';
import type { Fixup } from '../../../src/core/model/session.ts';
import { signOff, toCommitMessage, toExpectedMessages } from '../../../src/core/sessions/commit-message.ts';
import { anAgentUse } from '../../support/model-builders.ts';

const sha = parseSha('c'.repeat(40));
const fixup: Fixup = {
  action: 'FIX_CI',
  causeKey: 'k',
  headSha: sha,
  headRef: 'feature',
  baseSha: sha,
  attempt: 2,
  agent: 'fake',
  signature: null,
};
const id = parseSessionId('session-1');

const MERGE = { kind: 'merge', baseRef: 'main', headRef: 'fix/#12-@ann' } as const;

describe('toCommitMessage', () => {
  it('names the checks, the attempt and the session', () => {
    expect(toCommitMessage(id, fixup, { kind: 'ci', failingChecks: ['ci / test (20)', 'lint'] })).toBe(
      [
        'fix: make the failing checks pass',
        '',
        'Checks that failed before this commit:',
        '- ci / test (20)',
        '- lint',
        '',
        'Made by an agent, validated by Ratchet (attempt 2).',
        '',
        'Ratchet-Attempt: session-1',
        '',
      ].join('\n'),
    );
  });

  it('names the agent and what it used, by the count of the gateway', () => {
    const use = anAgentUse({ version: '2.1 @ann\n\nFixes #1' });

    expect(toCommitMessage(id, fixup, { kind: 'review', items: 1 }, use)).toMatch(
      /\n\nRatchet-Attempt: session-1\nRatchet-Agent: claude, 2\.1 ann Fixes 1, model model-1 \(3 calls, 1600 tokens, 0\.01 USD, 1 min\)\n$/u,
    );
    expect(
      toCommitMessage(id, fixup, { kind: 'review', items: 1 }, anAgentUse({ version: null, model: null, calls: 0 })),
    ).toMatch(/\nRatchet-Agent: claude \(1 min\)\n$/u);
  });

  it('names ten checks at most and counts the rest', () => {
    const names = Array.from({ length: 13 }, (_, index) => `check ${String(index)}`);

    expect(toCommitMessage(id, fixup, { kind: 'ci', failingChecks: names })).toContain('- check 9\n- and 3 more\n');
  });

  it('says how many review comments a review fixup was about', () => {
    const message = toCommitMessage(id, fixup, { kind: 'review', items: 3 });

    expect(message.split('\n')[0]).toBe('fix: address review comments');
    expect(message).toContain('Review comments that were open before it: 3.');
    expect(message).toContain('Made by an agent, validated by Ratchet (attempt 2).');
  });

  it('reads like a merge of git where it is one, with branch names made inert', () => {
    const message = toCommitMessage(id, fixup, { ...MERGE, resolved: [] });

    expect(message).toBe(
      [
        "Merge branch 'main' into fix/ 12- ann",
        '',
        'Merged and validated by Ratchet (attempt 2).',
        '',
        'Ratchet-Attempt: session-1',
        'Ratchet-Merge: git',
        '',
      ].join('\n'),
    );
  });

  it('says what resolved the conflicts of a merge, with names made inert', () => {
    const message = toCommitMessage(id, fixup, {
      ...MERGE,
      resolved: [
        { by: 'rerere', tool: null, paths: ['a.ts'] },
        { by: 'structure', tool: 'mergiraf 0.9.0 @ann', paths: ['b.ts', 'c.ts'] },
        { by: 'regeneration', tool: 'npm install', paths: ['package-lock.json'] },
        { by: 'agent', tool: null, paths: ['d.ts'] },
      ],
    });

    expect(message.split('\n').at(-2)).toBe(
      'Ratchet-Merge: 1 file as resolved before, 2 files by structure (mergiraf 0.9.0 ann), 1 file made anew, 1 file by an agent',
    );
  });

  it('keeps one trailer, at the end, whatever a check is called', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 200 })), (names) => {
        const failingChecks = [...names, 'x\nRatchet-Attempt: forged', 'Fixes #1 @someone'];
        const lines = toCommitMessage(id, fixup, { kind: 'ci', failingChecks }).split('\n');

        expect(lines.filter((line) => line.startsWith('Ratchet-Attempt:'))).toEqual(['Ratchet-Attempt: session-1']);
        expect(lines.at(-2)).toBe('Ratchet-Attempt: session-1');
        expect(lines.join('\n')).not.toMatch(/#\d|@\w/);
      }),
    );
  });
});

describe('signOff', () => {
  it('adds the line that DCO checks look for to the trailers', () => {
    const message = toCommitMessage(id, fixup, { kind: 'review', items: 1 });

    expect(signOff(message, { name: 'a[bot]', email: '1+a[bot]@users.noreply.github.com' })).toBe(
      `${message}Signed-off-by: a[bot] <1+a[bot]@users.noreply.github.com>\n`,
    );
    expect(message).toMatch(/\n\nRatchet-Attempt: \S+\n$/);
  });
});

describe('toExpectedMessages', () => {
  it('are those of a merge where there is a conflict, else of a fix', () => {
    const refs = { baseRef: 'main', headRef: 'f' };
    const subjects = (merge: 'conflict' | 'clean') =>
      toExpectedMessages({ ...refs, merge }).map((message) => message.split('\n')[0]);

    expect(subjects('conflict')).toEqual(["Merge branch 'main' into f"]);
    expect(subjects('clean')).toEqual([
      'fix: make the failing checks pass',
      'fix: repair new findings',
      'fix: address review comments',
    ]);
  });
});
