import { describe, expect, it } from 'vitest';
import { parseOperatorFile } from '../../src/config/operator-file.ts';
import { parsePolicyFile } from '../../src/config/policy-file.ts';
import { ConfigError } from '../../src/core/model/errors.ts';
import { mergePolicy } from '../../src/core/policy/merge-policy.ts';
import { NO_OPERATOR_POLICY } from '../../src/core/policy/operator-policy.ts';

/** What people write, and what they are told: the near right value above all. */
const MISTAKES: readonly (readonly [text: string, told: string])[] = [
  // Logins.
  ['reviews: {allowBots: ["@x"]}', 'is not a login; write "x"'],
  ['reviews: {allowBots: [" x"]}', 'is not a login; write "x"'],
  ['reviews: {allowBots: ["x "]}', 'is not a login; write "x"'],
  ['reviews: {allowBots: ["x[bot"]}', 'is not a login; write "x[bot]"'],
  ['reviews: {allowBots: ["x [bot]"]}', 'is not a login; write "x[bot]"'],
  ['reviews: {allowBots: ["app/x"]}', 'is not a login; write "x"'],
  ['reviews: {allowBots: ["https://github.com/apps/x"]}', 'is not a login; write "x"'],
  ['reviews: {allowBots: ["x[bot][bot]"]}', 'is not a login'],
  ['reviews: {allowBots: [“x”]}', 'is not a login; write "x"'],
  ['reviews: {allowBots: ["!x"]}', 'is not a login; write "x"'],
  ['reviews: {allowBots: ["x\\u200B"]}', 'is not a login; write "x"'],
  ['reviews: {allowBots: ["Code Rabbit"]}', 'is not a login'],
  ['reviews: {allowBots: ["{a,b"]}', 'a brace without its other half'],
  ['reviews: {allowBots: coderabbitai}', 'expected a list, not "coderabbitai"; write ["coderabbitai"]'],
  ['reviews: {ignore: ["@ann"]}', '`reviews.ignore.0`: is not a login; write "ann"'],
  ['reviews: {ignore: ["ann@example.com"]}', 'is not a login'],
  // Names of checks.
  ['ci: {required: [ratchet]}', 'is "Ratchet", and Ratchet\'s own check runs are left out'],
  ['ci: {required: [Ratchet]}', "Ratchet's own check runs are left out"],
  ['ci: {required: ["ratchet / quality"]}', 'is "Ratchet / quality"'],
  ['ci: {required: ["test*"]}', 'is a glob, and only exact names are taken here'],
  ['ci: {required: ["test "]}', 'begins or ends with white space; write "test"'],
  ['ci: {required: [" test"]}', 'begins or ends with white space; write "test"'],
  ['ci: {required: [“test”]}', 'quotation marks that belong to the value; write "test"'],
  ['ci: {required: [„test“]}', 'quotation marks that belong to the value; write "test"'],
  ['ci: {required: [\'"test"\']}', 'quotation marks that belong to the value; write "test"'],
  ['ci: {required: ["`test`"]}', 'quotation marks that belong to the value; write "test"'],
  ['ci: {required: ["te\\u200Bst"]}', 'holds characters that cannot be seen; write "test"'],
  ['ci: {required: test}', 'expected a list, not "test"; write ["test"]'],
  ['ci: {required: []}', 'must not be empty'],
  ['ci: {required: [lint], ignore: ["li*"]}', 'can never count: `ignore` leaves it out'],
  ['ci: {ignore: ["!lint"]}', 'nothing can be taken out of a list; write "lint"'],
  ['ci: {ignore: ["^lint.*$"]}', 'is a regular expression, and globs are taken here; write "lint*"'],
  ['ci: {ignore: ["{lint,test"]}', 'a brace without its other half'],
  ['ci: {ignore: ["lint\\t"]}', 'white space; write "lint"'],
  ['ci: {ignore: lint}', 'write ["lint"]'],
  // Paths.
  ['changes: {allowedPaths: ["src\\\\**"]}', 'folders are separated by `/`; write "src/**"'],
  ['changes: {allowedPaths: ["src\\\\a\\\\b.ts"]}', 'write "src/a/b.ts"'],
  ['changes: {allowedPaths: [“src/**”]}', 'write "src/**"'],
  ['changes: {allowedPaths: ["src/** "]}', 'white space; write "src/**"'],
  ['changes: {protectedPaths: ["!legal/**"]}', 'nothing can be taken out of a list of paths'],
  ['changes: {protectedPaths: ["../legal"]}', 'holds `.` or `..`'],
  ['changes: {protectedPaths: ["{a,b/**"]}', 'a brace without its other half'],
  ['changes: {protectedPaths: legal/**}', 'write ["legal/**"]'],
  ['merge: {regenerate: [{path: "a\\\\b.lock", command: x}]}', 'write "a/b.lock"'],
  // Labels.
  ['labels: {enable: ratchet, hold: ratchet}', 'one label cannot enable Ratchet and hold it'],
  ['labels: {enable: Ratchet:Go, hold: ratchet:go}', 'one label cannot enable Ratchet and hold it'],
  ['labels: {enable: "ratchet:go”"}', 'quotation marks that belong to the value; write "ratchet:go"'],
  ['labels: {enable: "ratchet:go\\u200B"}', 'holds characters that cannot be seen; write "ratchet:go"'],
  ['labels: {enable: fix-it}', 'must begin with "ratchet"'],
  ['labels: {hold: “wait”}', 'write "wait"'],
  // Numbers and switches.
  ['maxAttempts: "3"', 'expected a number, not "3"; write 3'],
  ['maxAttempts: three', 'expected a number, not "three"'],
  ['maxAttempts: -1', 'must be at least 0'],
  ['ci: {settleSeconds: 30s}', 'expected a number, not "30s"; write 30'],
  ['ci: {timeoutSeconds: 2h}', 'write 7200'],
  ['ci: {timeoutSeconds: 1h 30m}', 'write 5400'],
  ['ci: {staleTimeoutSeconds: 5 minutes}', 'write 300'],
  ['ci: {staleTimeoutSeconds: soon}', 'expected a number, not "soon"'],
  ['sessionTimeoutMinutes: 30m', 'expected a number, not "30m"; write 30'],
  ['sessionTimeoutMinutes: 90 s', 'write 1.5'],
  ['ci: {rerunFlaky: yes}', 'expected true or false, not "yes"; write true'],
  ['ci: {rerunFlaky: off}', 'write false'],
  ['ci: {rerunFlaky: "true"}', 'write true'],
  ['ci: {rerunFlaky: 1}', 'write true'],
  ['ci: {rerunFlaky: maybe}', 'expected true or false, not "maybe"'],
  // Choices.
  ['mode: Push', 'expected observe, suggest or push, not "Push"; write push'],
  ['mode: sugest', 'write suggest'],
  ['mode: all', 'expected observe, suggest or push, not "all"'],
  ['drafts: holds', 'write hold'],
  ['comment: on_action', 'write on-action'],
  // Keys and nesting.
  ['maxAttempt: 3', 'unknown key "maxAttempt"; did you mean `maxAttempts`?'],
  ['max_attempts: 3', 'did you mean `maxAttempts`?'],
  ['MaxAttempts: 3', 'did you mean `maxAttempts`?'],
  ['required: [test]', 'did you mean `ci.required`?'],
  ['allowBots: [x]', 'did you mean `reviews.allowBots`?'],
  ['ci: {allowBots: [x]}', 'did you mean `reviews.allowBots`?'],
  ['ci: [test]', '`ci`: expected a mapping, not a list'],
  ['ci:\n  required: [a]\n  required: [b]', 'Map keys must be unique'],
  ['ci:\n\trequired: [a]', 'Tabs are not allowed as indentation'],
  ['mode: push\nmode: suggest', 'Map keys must be unique'],
  ['- mode: push', 'expected a mapping, not a list'],
  ['mode push', 'expected a mapping'],
  ['version: 2', 'expected 1, not 2'],
  ['---\nmode: push\n---\nmode: push', 'more than one document'],
];

/** What looks strange and is right. */
const RIGHT: readonly string[] = [
  'reviews: {allowBots: [coderabbitai, "dependabot[bot]", "Renovate[Bot]", "*-ci", "{a,b}"]}',
  'reviews: {ignore: [octo_corp, "*[bot]"]}',
  'ci: {required: ["ci / test (20, ubuntu-latest)", "does it build?", "it\'s fine"]}',
  'ci: {ignore: ["codecov/*", "a {b,c}", "deploy: $x-prod"]}',
  'changes: {allowedPaths: ["/src/**", "./src/**", "src/", "src"]}',
  'changes: {allowedPaths: ["app/\\\\[id\\\\]/page.tsx", "a b/**"]}',
  'labels: {enable: ratchet, hold: on hold}',
  'labels: {enable: null, hold: null}',
  'sessionTimeoutMinutes: 1.5',
  'ci: {rerunFlaky: false}',
  '\uFEFFmode: push',
  '',
];

function listOperatorProblems(text: string): string {
  try {
    parseOperatorFile(text, 'policy.yml');
    return '';
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.join('\n').replaceAll('`defaults.', '`');
  }
}

describe('a value that can never match (L15)', () => {
  it.each(MISTAKES)('%j is told: %s', (text, told) => {
    const parsed = parsePolicyFile(text);
    const messages = parsed.kind === 'invalid' ? parsed.problems.map(({ message }) => message) : [];

    expect(messages.join('\n')).toContain(told);
  });

  it.each(MISTAKES.filter(([text]) => /^(?:ci|reviews|labels|changes|mode): ?\S/u.test(text)))(
    "%j is told of the operator's defaults too: %s",
    (text, told) => {
      expect(listOperatorProblems(`defaults:\n  ${text.replaceAll('\n', '\n  ')}`)).toContain(told);
    },
  );

  it.each(RIGHT)('%j is right', (text) => {
    expect(parsePolicyFile(text)).toMatchObject({ kind: 'ok' });
  });

  it('is tried in more than sixty ways', () => {
    expect(MISTAKES.length).toBeGreaterThan(60);
  });

  it('is found between two files, and against a default', () => {
    const enable = { labels: { enable: 'ratchet:hold' } };

    expect(mergePolicy([enable], NO_OPERATOR_POLICY).problems).toEqual([
      '`labels.enable`: "ratchet:hold" is `labels.hold` too: one label cannot enable Ratchet and hold it',
    ]);
    expect(mergePolicy([enable, { labels: { hold: null } }], NO_OPERATOR_POLICY).problems).toEqual([]);
    expect(
      mergePolicy([{ labels: { hold: 'ratchet' } }, { labels: { enable: 'Ratchet' } }], NO_OPERATOR_POLICY).problems,
    ).toHaveLength(1);
  });
});
