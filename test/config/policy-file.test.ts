import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_POLICY_BYTES, type PolicyProblem, parsePolicyFile } from '../../src/config/policy-file.ts';

function problemsOf(text: string): readonly PolicyProblem[] {
  const parsed = parsePolicyFile(text);
  return parsed.kind === 'invalid' ? parsed.problems : [];
}

describe('parsePolicyFile', () => {
  it.each([
    ['no file', null],
    ['an empty file', ''],
    ['blanks', ' \n\n'],
    ['comments only', '# nothing\n'],
    ['an empty document', '---\n'],
    ['an empty mapping', '{}'],
    ['the version alone', 'version: 1'],
  ])('sets nothing by %s', (_what, text) => {
    expect(parsePolicyFile(text)).toEqual({ kind: 'ok', layer: {} });
  });

  it('tells a null from what is left out: it puts the built-in value over the one of the layer below', () => {
    expect(parsePolicyFile('validate: null\nci:\n  required: null\nlabels: {}')).toEqual({
      kind: 'ok',
      layer: { validate: null, ci: { required: null }, labels: {} },
    });
  });

  it.each(['renovate[bot]', 'renovate', '*[bot]'])('keeps a login as it is written: %s', (login) => {
    expect(parsePolicyFile(`reviews: {allowBots: ["${login}"], ignore: ["${login}"]}`)).toEqual({
      kind: 'ok',
      layer: { reviews: { allowBots: [login], ignore: [login] } },
    });
  });

  it('reads every key', () => {
    const text = [
      'version: 1',
      'mode: suggest',
      'maxAttempts: 5',
      'maxLaunchesPerDay: 9',
      'ci:',
      '  settleSeconds: 30',
      '  staleTimeoutSeconds: 600',
      '  timeoutSeconds: 7200',
      '  required: [build, test]',
      '  ignore: ["codecov/*"]',
      '  rerunFlaky: false',
      '  fixRedOnBase: true',
      '  stopOnSameFailure: true',
      'merge:',
      '  resolveConflicts: false',
      '  updateBranch: false',
      '  regenerate: [{ path: "**/x.lock", command: make lock }]',
      'reviews:',
      '  fix: false',
      '  quietSeconds: 5',
      '  allowBots: [coderabbitai]',
      '  ignore: [noisy]',
      '  resolveThreads: false',
      'drafts: hold',
      'autoMerge: disarm',
      'labels:',
      '  enable: ratchet go',
      '  hold: null',
      'comment: never',
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
      'engines:',
      '  auto: true',
      '  failLevel: high',
      '  eslint: { paths: [src], exitCodes: { diagnostic: [1] } }',
      '  mypy: false',
    ].join('\n');

    expect(parsePolicyFile(text)).toEqual({
      kind: 'ok',
      layer: {
        mode: 'suggest',
        maxAttempts: 5,
        maxLaunchesPerDay: 9,
        ci: {
          settleSeconds: 30,
          staleTimeoutSeconds: 600,
          timeoutSeconds: 7200,
          required: ['build', 'test'],
          ignore: ['codecov/*'],
          rerunFlaky: false,
          fixRedOnBase: true,
          stopOnSameFailure: true,
        },
        merge: {
          resolveConflicts: false,
          updateBranch: false,
          regenerate: [{ path: '**/x.lock', command: 'make lock' }],
        },
        reviews: {
          fix: false,
          quietSeconds: 5,
          allowBots: ['coderabbitai'],
          ignore: ['noisy'],
          resolveThreads: false,
        },
        drafts: 'hold',
        autoMerge: 'disarm',
        labels: { enable: 'ratchet go', hold: null },
        comment: 'never',
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
        engines: {
          auto: true,
          failLevel: 'high',
          engines: { eslint: { paths: ['src'], exitCodes: { diagnostic: [1] } }, mypy: { enabled: false } },
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
      'a mistyped key of a section',
      'changes:\n  maxFile: 2',
      '2:3',
      'unknown key "changes.maxFile"; did you mean `maxFiles`?',
    ],
    [
      'a key where it does not belong',
      'ci:\n  quietSecond: 2',
      '2:3',
      'unknown key "ci.quietSecond"; did you mean `reviews.quietSeconds`?',
    ],
    [
      'a section without its indentation',
      'drafts: work\nsettleSeconds: 2',
      '2:1',
      'unknown key "settleSeconds"; did you mean `ci.settleSeconds`?',
    ],
    [
      'an unknown key of an entry',
      'merge:\n  regenerate:\n    - path: a\n      command: b\n      comand: c',
      '5:7',
      'unknown key "merge.regenerate.0.comand"; did you mean `command`?',
    ],
    [
      'an entry that lacks a key',
      'merge:\n  regenerate:\n    - path: a',
      '3:7',
      '`merge.regenerate.0.command`: is required',
    ],
    ['an unknown mode', 'mode: force', '1:1', '`mode`: expected observe, suggest or push, not "force"'],
    [
      'a switch that YAML 1.1 would take',
      'reviews:\n  fix: yes',
      '2:3',
      '`reviews.fix`: expected true or false, not "yes"',
    ],
    [
      'an enabling label that nobody would look at',
      'labels:\n  enable: go',
      '2:3',
      '`labels.enable`: must begin with "ratchet"',
    ],
    ['a label that is no text', 'labels:\n  enable: true', '2:3', '`labels.enable`: '],
    ['a label that is longer than any of GitHub', `labels:\n  hold: ${'x'.repeat(51)}`, '2:3', '`labels.hold`: '],
    ['a section that says nothing', 'ci:', '1:1', '`ci`: expected a mapping, not nothing'],
    ['a section that is a list', 'ci: []', '1:1', '`ci`: expected a mapping, not a list'],
    ['what is no text', '\u0000', '1:1', 'cannot be read as text'],
    ['a key like no other', 'zzz: 1', '1:1', 'known keys are version, mode, maxAttempts, maxLaunchesPerDay, ci'],
    ['a wrong type', '\nmaxAttempts: three', '2:1', '`maxAttempts`: expected a number, not "three"'],
    ['a mapping for a number', 'maxAttempts: {a: 1}', '1:1', '`maxAttempts`: expected a number, not a mapping'],
    ['too much', 'maxAttempts: 21', '1:1', '`maxAttempts`: must be at most 20, not 21'],
    ['a fraction', 'maxAttempts: 1.5', '1:1', '`maxAttempts`: expected a whole number, not 1.5'],
    ['no number', 'sessionTimeoutMinutes: .nan', '1:1', '`sessionTimeoutMinutes`: expected a number, not NaN'],
    ['less than nothing', 'ci:\n  settleSeconds: -1', '2:3', '`ci.settleSeconds`: must be at least 0, not -1'],
    ['a wrong element', 'ci:\n  ignore:\n    - a\n    - 5', '4:7', '`ci.ignore.1`: expected text, not 5'],
    ['a text for a list', 'ci: {ignore: lint}', '1:6', '`ci.ignore`: expected a list, not "lint"'],
    ['a long text for a list', `ci: {ignore: ${'x'.repeat(100)}}`, '1:6', `not "${'x'.repeat(40)}…"`],
    [
      'too long a text',
      `ci: {ignore: [${'x'.repeat(257)}]}`,
      '1:15',
      '`ci.ignore.0`: must have at most 256 characters',
    ],
    ['too many entries', `ci: {ignore: [${'x, '.repeat(101)}]}`, '1:6', '`ci.ignore`: must have at most 100 entries'],
    ['an empty command', 'validate: ["npm test", ""]', '1:24', '`validate.1`: must not be empty'],
    ['no command at all', 'validate: []', '1:1', '`validate`: must not be empty'],
    [
      'a glob that protects nothing',
      'changes:\n  protectedPaths: ["!legal/**"]',
      '2:20',
      '`changes.protectedPaths.0`: begins with `!`',
    ],
    ['a glob that leaves the repository', 'changes: {allowedPaths: [../x]}', '1:26', '`changes.allowedPaths.0`: holds'],
    ['no required check', 'ci:\n  required: []', '2:3', '`ci.required`: '],
    [
      'a required check that is ignored',
      'ci:\n  ignore: ["lint*"]\n  required: [test, lint]',
      '3:3',
      '`ci.required`: "lint" can never count: `ignore` leaves it out',
    ],
    [
      "a required check that is Ratchet's own",
      'ci:\n  required: [test, Ratchet / quality]',
      '2:3',
      '`ci.required`: "Ratchet / quality" can never count: Ratchet\'s own check runs are left out',
    ],
    ['another version', 'version: 2', '1:1', '`version`: expected 1, not 2'],
    ['a list', '- a', '1:1', 'the file: '],
    ['a text', 'hello', '1:1', 'the file: '],
    ['broken YAML', 'a: 1\nb: [', '2:5', 'Flow sequence'],
    ['a tab', 'ci:\n\tignore: []', '2:1', 'Tabs'],
    ['a key twice', 'setup: a\nsetup: b', '2:1', 'Map keys must be unique'],
    ['two documents', 'setup: a\n---\nsetup: b', '2:1', 'more than one document'],
    ['a tag', 'setup: !!js/function x', '1:8', 'Unresolved tag'],
    ['a tag that would make an empty section', 'changes: !!set {maxFiles}', '1:10', 'Unresolved tag'],
    ['an alias', 'setup: &a [x]\nvalidate: *a', '2:11', 'aliases'],
    ['an alias of nothing', 'setup: *a', '1:8', 'aliases'],
    ['a merge key', 'a: &a {maxFiles: 1}\nchanges: {<<: *a}', '2:15', 'aliases'],
    ['a key of the prototype', '__proto__: {maxAttempts: 9}', '1:1', 'unknown key "__proto__"'],
    ['a key of the prototype among engines', 'engines:\n  __proto__: true', '2:3', 'unknown key "__proto__"'],
    ['a mapping as a key', '? {a: 1}\n: 2', '1:1', 'unknown key'],
    ['too much text', `# ${'x'.repeat(MAX_POLICY_BYTES)}`, '1:1', 'larger than 65536 bytes'],
  ])('refuses %s with its place', (_what, text, place, message) => {
    const [problem] = problemsOf(text);

    expect(`${problem?.line}:${problem?.column}`).toBe(place);
    expect(problem?.message).toContain(message);
  });

  it.each([
    ['a byte order mark', '\uFEFFmode: push\n'],
    ['line ends of Windows', 'mode: push\r\n'],
    ['marks of a document', '---\nmode: push\n...\n'],
    ['JSON', '{"mode": "push"}'],
    ['an anchor that nothing refers to', 'mode: &mode push'],
    ['a tag of plain data', 'mode: !!str push'],
  ])('takes %s', (_what, text) => {
    expect(parsePolicyFile(text)).toEqual({ kind: 'ok', layer: { mode: 'push' } });
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
    expect(parsePolicyFile(text).kind).toBe('invalid');
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

  it('never throws, and never refuses without a reason', () => {
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
        const parsed = parsePolicyFile(pieces.join(''));

        if (parsed.kind === 'invalid') expect(parsed.problems.length).toBeGreaterThan(0);
        else expect(parsed.layer).toBeTypeOf('object');
      }),
      { numRuns: 1000 },
    );
  });
});
