import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_POLICY_BYTES, type PolicyProblem, parsePolicy } from '../../src/config/policy-file.ts';
import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';

function problemsOf(text: string): readonly PolicyProblem[] {
  const parsed = parsePolicy(text);
  return parsed.kind === 'invalid' ? parsed.problems : [];
}

describe('parsePolicy', () => {
  it.each([
    ['no file', null],
    ['an empty file', ''],
    ['blanks', ' \n\n'],
    ['comments only', '# nothing\n'],
    ['an empty document', '---\n'],
    ['an empty mapping', '{}'],
    ['the version alone', 'version: 1'],
    ['empty sections', 'ci: {}\nchanges: {}'],
    ['nulls that mean the default', 'validate: null\nci:\n  required: null\nchanges:\n  allowedPaths: null'],
  ])('gives the defaults for %s', (_what, text) => {
    expect(parsePolicy(text)).toEqual({ kind: 'ok', policy: DEFAULT_POLICY });
  });

  it('reads every key', () => {
    const text = [
      'version: 1',
      'maxAttempts: 5',
      'maxLaunchesPerDay: 9',
      'ci:',
      '  settleSeconds: 30',
      '  staleTimeoutSeconds: 600',
      '  timeoutSeconds: 7200',
      '  required: [build, test]',
      '  ignore: ["codecov/*"]',
      'setup: npm ci',
      'validate:',
      '  - npm run lint',
      '  - npm test',
      'sessionTimeoutMinutes: 20',
      'validateTimeoutMinutes: 5',
      'changes:',
      '  allowedPaths: [src/, tests/]',
      '  protectedPaths: [infra/]',
      '  maxFiles: 10',
      '  maxLines: 200',
      '  maxBytes: 4096',
    ].join('\n');

    expect(parsePolicy(text)).toEqual({
      kind: 'ok',
      policy: {
        maxAttempts: 5,
        maxLaunchesPerDay: 9,
        ci: {
          settleSeconds: 30,
          staleTimeoutSeconds: 600,
          timeoutSeconds: 7200,
          required: ['build', 'test'],
          ignore: ['codecov/*'],
        },
        setup: ['npm ci'],
        validate: ['npm run lint', 'npm test'],
        sessionTimeoutMinutes: 20,
        validateTimeoutMinutes: 5,
        changes: {
          allowedPaths: ['src/', 'tests/'],
          protectedPaths: ['infra/'],
          maxFiles: 10,
          maxLines: 200,
          maxBytes: 4096,
        },
      },
    });
  });

  it.each([
    ['an unknown key', 'maxAttempts: 1\nmaxAttempt: 2', '2:1', 'unknown key "maxAttempt"; did you mean `maxAttempts`?'],
    [
      'an unknown key of a section',
      'ci:\n  settle_seconds: 2',
      '2:3',
      'unknown key "ci.settle_seconds"; did you mean `settleSeconds`?',
    ],
    [
      'a key of another section',
      'changes:\n  maxFile: 2',
      '2:3',
      'unknown key "changes.maxFile"; did you mean `maxFiles`?',
    ],
    ['a key like no other', 'zzz: 1', '1:1', 'known keys are version, maxAttempts, maxLaunchesPerDay, ci'],
    ['a wrong type', '\nmaxAttempts: three', '2:1', '`maxAttempts`: '],
    ['too much', 'maxAttempts: 21', '1:1', '`maxAttempts`: '],
    ['a fraction', 'maxAttempts: 1.5', '1:1', '`maxAttempts`: '],
    ['less than nothing', 'ci:\n  settleSeconds: -1', '2:3', '`ci.settleSeconds`: '],
    ['a wrong element', 'ci:\n  ignore:\n    - a\n    - 5', '4:7', '`ci.ignore.1`: '],
    ['an empty command', 'validate: ["npm test", ""]', '1:24', '`validate.1`: '],
    ['no command at all', 'validate: []', '1:1', '`validate`: '],
    ['no required check', 'ci:\n  required: []', '2:3', '`ci.required`: '],
    ['another version', 'version: 2', '1:1', '`version`: '],
    ['a list', '- a', '1:1', 'the file: '],
    ['a text', 'hello', '1:1', 'the file: '],
    ['broken YAML', 'a: 1\nb: [', '2:5', 'Flow sequence'],
    ['a tab', 'ci:\n\tignore: []', '2:1', 'Tabs'],
    ['a key twice', 'setup: a\nsetup: b', '2:1', 'Map keys must be unique'],
    ['two documents', 'setup: a\n---\nsetup: b', '2:1', 'multiple documents'],
    ['a tag', 'setup: !!js/function x', '1:8', 'Unresolved tag'],
    ['an alias', 'setup: &a [x]\nvalidate: *a', '1:1', 'aliases'],
    ['a merge key', 'a: &a {maxFiles: 1}\nchanges: {<<: *a}', '1:1', 'aliases'],
    ['a key of the prototype', '__proto__: {maxAttempts: 9}', '1:1', 'unknown key "__proto__"'],
    ['a mapping as a key', '? {a: 1}\n: 2', '1:1', 'unknown key'],
    ['too much text', `# ${'x'.repeat(MAX_POLICY_BYTES)}`, '1:1', 'larger than 65536 bytes'],
  ])('refuses %s with its place', (_what, text, place, message) => {
    const [problem] = problemsOf(text);

    expect(`${problem?.line}:${problem?.column}`).toBe(place);
    expect(problem?.message).toContain(message);
  });

  it('lists all problems in the order of the file, at most twenty', () => {
    const problems = problemsOf('setup: 5\nmaxAttempts: x\nfoo: 1\nbar: 2');

    expect(problems.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
    expect(problemsOf(Array.from({ length: 50 }, (_, index) => `k${index}: 1`).join('\n'))).toHaveLength(20);
  });

  it.each([
    ['flow lists', '['.repeat(60_000)],
    ['flow mappings', '{a: '.repeat(15_000)],
    ['lists', '- '.repeat(30_000)],
    ['keys', '? '.repeat(30_000)],
  ])('refuses deep %s and does not throw', (_what, text) => {
    expect(parsePolicy(text).kind).toBe('invalid');
  });

  it('refuses an alias bomb before it grows', () => {
    const bomb = [
      'a: &a [x]',
      ...Array.from(
        { length: 26 },
        (_, index) => `k${index}: &k${index} [${index === 0 ? '*a, *a' : `*k${index - 1}, *k${index - 1}`}]`,
      ),
    ].join('\n');

    expect(problemsOf(bomb)[0]?.message).toContain('aliases');
  });

  it('never throws, and never gives half a policy', () => {
    const piece = fc.constantFrom(
      'maxAttempts',
      'ci',
      ':',
      ' ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '&a',
      '*a',
      '"',
      "'",
      '1',
      '|',
      '>',
      '#',
      '!!set',
      '?',
      '%',
      '\t',
      '---',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const parsed = parsePolicy(pieces.join(''));

        if (parsed.kind === 'invalid') expect(parsed.problems.length).toBeGreaterThan(0);
        else expect(Object.keys(parsed.policy).sort()).toEqual(Object.keys(DEFAULT_POLICY).sort());
      }),
      { numRuns: 1000 },
    );
  });
});
