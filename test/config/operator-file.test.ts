import { describe, expect, it } from 'vitest';
import { parseOperatorFile } from '../../src/config/operator-file.ts';
import { ConfigError } from '../../src/core/model/errors.ts';
import { NO_OPERATOR_POLICY } from '../../src/core/policy/operator-policy.ts';

function problemsOf(text: string): readonly string[] {
  try {
    parseOperatorFile(text, 'policy.yml');
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('parseOperatorFile', () => {
  it.each(['', '# nothing\n', 'version: 1', 'defaults: {}\nceilings: {}'])('sets nothing by %j', (text) => {
    expect(parseOperatorFile(text, 'policy.yml')).toEqual(NO_OPERATOR_POLICY);
  });

  it('reads where Ratchet only observes, and refuses what can name no repository', () => {
    expect(parseOperatorFile('observe: [acme, octo/widget.js]', 'policy.yml').observe).toEqual([
      'acme',
      'octo/widget.js',
    ]);
    for (const name of ['@acme', 'acme/', 'a b', 'https://github.com/acme', '*', 'acme/*']) {
      expect(problemsOf(`observe: ["${name}"]`).join()).toContain('must list owners and repositories');
    }
  });

  it('reads defaults like a policy file, and ceilings', () => {
    const text = [
      'defaults:',
      '  mode: suggest',
      '  validate: make test',
      'ceilings:',
      '  maxAttempts: 5',
      '  changes: { maxFiles: 7 }',
      '  reviews: { resolveThreads: false }',
      '  engines: { timeoutSeconds: 600, totalMinutes: 30 }',
      '  autoMerge: hold',
      '  labels: { enable: null }',
    ].join('\n');

    expect(parseOperatorFile(text, 'policy.yml')).toEqual({
      defaults: { mode: 'suggest', validate: ['make test'] },
      ceilings: {
        maxAttempts: 5,
        changes: { maxFiles: 7 },
        reviews: { resolveThreads: false },
        engines: { timeoutSeconds: 600, totalMinutes: 30 },
        autoMerge: 'hold',
        labels: { enable: null },
      },
    });
  });

  it.each([
    [
      'a mistyped ceiling',
      'ceilings:\n  maxAttempt: 5',
      'line 2, column 3: unknown key "ceilings.maxAttempt"; did you mean `maxAttempts`?',
    ],
    [
      'a mistyped default',
      'defaults:\n  mod: push',
      'line 2, column 3: unknown key "defaults.mod"; did you mean `mode`?',
    ],
    ['a ceiling that is none', 'ceilings:\n  autoMerge: disarm', 'line 2, column 3: `ceilings.autoMerge`: '],
    ['a switch that is kept on', 'ceilings:\n  reviews:\n    fix: true', 'line 3, column 5: `ceilings.reviews.fix`: '],
    [
      'a ceiling that is no limit',
      'ceilings:\n  agent:\n    budget: { usd: null }',
      'line 3, column 15: `ceilings.agent.budget.usd`: expected a number, not nothing',
    ],
    ['a ceiling of engines out of bounds', 'ceilings:\n  engines:\n    timeoutSeconds: 3601', 'line 3, column 5: '],
    ['a ceiling out of bounds', 'ceilings:\n  maxAttempts: 21', 'line 2, column 3: `ceilings.maxAttempts`: '],
    [
      'settings at the wrong depth',
      'maxAttempts: 5',
      'line 1, column 1: unknown key "maxAttempts"; did you mean `defaults.maxAttempts`?',
    ],
    ['an alias', 'defaults: &a {mode: push}\nceilings: *a', 'line 2, column 11: YAML aliases'],
  ])('stops the start on %s', (_what, text, problem) => {
    expect(problemsOf(text)[0]).toContain(`RATCHET_POLICY_FILE: policy.yml, ${problem}`);
  });

  it('lists every problem at once', () => {
    expect(problemsOf('ceilings:\n  mode: force\n  maxAttempts: many')).toHaveLength(2);
  });
});
