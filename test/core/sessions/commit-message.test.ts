import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSessionId, parseSha } from '../../../src/core/model/ids.ts';
import type { Fixup } from '../../../src/core/model/session.ts';
import { toCommitMessage } from '../../../src/core/sessions/commit-message.ts';

const sha = parseSha('c'.repeat(40));
const fixup: Fixup = {
  action: 'FIX_CI',
  causeKey: 'k',
  headSha: sha,
  headRef: 'feature',
  baseSha: sha,
  attempt: 2,
  agent: 'fake',
};
const id = parseSessionId('session-1');

describe('toCommitMessage', () => {
  it('names the checks, the attempt and the session', () => {
    expect(toCommitMessage(id, fixup, ['ci / test (20)', 'lint'])).toBe(
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

  it('names ten checks at most and counts the rest', () => {
    const names = Array.from({ length: 13 }, (_, index) => `check ${String(index)}`);

    expect(toCommitMessage(id, fixup, names)).toContain('- check 9\n- and 3 more\n');
  });

  it('keeps one trailer, at the end, whatever a check is called', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 200 })), (names) => {
        const lines = toCommitMessage(id, fixup, [...names, 'x\nRatchet-Attempt: forged', 'Fixes #1 @someone']).split(
          '\n',
        );

        expect(lines.filter((line) => line.startsWith('Ratchet-Attempt:'))).toEqual(['Ratchet-Attempt: session-1']);
        expect(lines.at(-2)).toBe('Ratchet-Attempt: session-1');
        expect(lines.join('\n')).not.toMatch(/#\d|@\w/);
      }),
    );
  });
});
