import { describe, expect, it } from 'vitest';
import { isAtLeast, toSeverity } from '../../../src/core/findings/severity.ts';
import { SEVERITIES } from '../../../src/core/model/finding.ts';

describe('toSeverity', () => {
  it.each([
    ['blocker', ['blocker', 'fatal', 'critical']],
    ['high', ['high', 'error', 'failure']],
    ['medium', ['medium', 'moderate', 'warning', 'warn']],
    ['low', ['low', 'info', 'information', 'informational', 'note', 'notice', 'none', 'hint', 'style']],
  ] as const)('C14: takes each word of a tool for "%s"', (severity, words) => {
    for (const word of words) expect(toSeverity(word), word).toBe(severity);
  });

  it.each([' Error\n', 'ERROR', 'error '])('C14: reads %j as an error, whatever its case and white space', (word) => {
    expect(toSeverity(word)).toBe('high');
  });

  it.each(['refactor', '', 'constructor', '__proto__', 'errors'])(
    'C14: takes the unknown word %j for medium, since it is no good news',
    (word) => {
      expect(toSeverity(word)).toBe('medium');
    },
  );
});

describe('isAtLeast', () => {
  it('counts a severity as at least as bad as itself and as all milder ones', () => {
    const answers = SEVERITIES.map((severity) => SEVERITIES.map((level) => isAtLeast(severity, level)));

    expect(answers).toEqual([
      [true, true, true, true],
      [false, true, true, true],
      [false, false, true, true],
      [false, false, false, true],
    ]);
  });
});
