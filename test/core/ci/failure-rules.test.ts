import { describe, expect, it } from 'vitest';
import { classifyFailure } from '../../../src/core/ci/classify-failure.ts';
import { CLIENT_RULES, UNKNOWN_CLIENT_RULES } from '../../../src/core/ci/client-rules.ts';
import type { FailureRule } from '../../../src/core/ci/failure-rule.ts';
import { createFindRule, toMessages } from '../../../src/core/ci/find-failure-rule.ts';
import { SURROUNDING_RULES, TEST_RULES } from '../../../src/core/ci/flake-rules.ts';
import { NETWORK_TROUBLE } from '../../../src/core/ci/network-signs.ts';
import { PACKAGE_RULES } from '../../../src/core/ci/package-rules.ts';
import { RUNNER_RULES } from '../../../src/core/ci/runner-rules.ts';
import { CLIENT_MESSAGES } from './messages/client-messages.ts';
import { MACHINE_MESSAGES } from './messages/machine-messages.ts';
import { PACKAGE_MESSAGES } from './messages/package-messages.ts';

const RULES: readonly FailureRule[] = [
  ...[...RUNNER_RULES, ...TEST_RULES, ...SURROUNDING_RULES],
  ...[...CLIENT_RULES, ...PACKAGE_RULES, ...UNKNOWN_CLIENT_RULES],
];
const MESSAGES: Readonly<Record<string, readonly string[]>> = {
  ...MACHINE_MESSAGES,
  ...CLIENT_MESSAGES,
  ...PACKAGE_MESSAGES,
};
const RED = { conclusion: 'failure' } as const;
const of = (...lines: readonly string[]) => classifyFailure({ check: RED, failures: [], lines });

/** What looks like a message of a rule, and is none: the words stand elsewhere, or nothing failed. */
const LOOK_ALIKES = [
  'Formatting differs in a.ts',
  '##[error]Process completed with exit code 1.',
  '##[error]Process completed with exit code 1370.',
  'An unexpected error; 503 files were read',
  'returned 1502 rows',
  'enoughENOSPC',
  'the table of codes lacks 503 Service Unavailable',
  'links to https://example.org/timeouts, which is not in the table',
  'changelog: no entry for "connection reset by peer"',
  'error: the timeout must be a positive number',
  'Config error: `gateway_timeout` is unknown',
  '+  message: "502 Bad Gateway"',
  'npm error code ERESOLVE',
  'npm error ERESOLVE unable to resolve dependency tree',
  'npm error 404 Not Found - GET https://registry.npmjs.org/no-such-package',
  'npm error Missing script: "test:timeout"',
  'ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"',
  'ERROR: Could not find a version that satisfies the requirement x==9 (from versions: 1.0, 2.0)',
  'error: failed to select a version for the requirement `tokio-timeout = "^9"`',
  '> Could not find com.example:timeout:9.',
  'go: github.com/x/y@v9.9.9: invalid version: unknown revision v9.9.9',
  'ERROR: failed to solve: process "/bin/sh -c npm run build" did not complete successfully: exit code: 1',
  'ERROR: failed to solve: failed to read dockerfile: open Dockerfile.timeout: no such file or directory',
  "fatal: couldn't find remote ref refs/heads/timeouts",
  "error: pathspec 'timeout' did not match any file(s) known to git",
  'curl: (22) The requested URL returned error: 404',
  'E: Unable to locate package libtimeout',
  'HTTP 404: Not Found (https://api.github.com/repos/o/r)',
  'The server was asked for http://localhost:3000 and timed out',
  'warning: Could not resolve host, the cache is used',
  'npm warn network retry ECONNRESET',
  'attempt 1 of 3: connect ECONNRESET 1.2.3.4:443',
  'curl: (28) Operation timed out, trying again in 3 s',
  'request to https://example.org failed, reason: connect ETIMEDOUT; 2 retries left',
];

describe('the rules for what fails outside of the code', () => {
  it.each(RULES)('know the messages of $id (S7)', (rule) => {
    const messages = MESSAGES[rule.id] ?? [];
    expect(messages.map((line) => of(line))).toEqual(
      messages.map((line) => ({ class: rule.class, line, rule: rule.id, personLine: of(line).personLine })),
    );
  });

  it('have a source and a message for each way to say it', () => {
    const idle = RULES.flatMap(({ id, says, blames }) => [
      ...says.filter((pattern) => !has(id, (message) => toRegExp(pattern).test(message))),
      ...blames.filter(
        (pattern) => !has(id, (message, line) => toRegExp(pattern).test(message) && NETWORK_TROUBLE.test(line)),
      ),
    ]);
    expect(idle).toEqual([]);
    expect(RULES.filter(({ source }) => !source.startsWith('https://'))).toEqual([]);
    expect(Object.keys(MESSAGES).sort()).toEqual(RULES.map(({ id }) => id).sort());
  });

  it.each(LOOK_ALIKES)('take nothing from %j', (line) => {
    expect(createFindRule(RULES)(line)).toBeNull();
    expect(['code', 'unknown']).toContain(of(line).class);
  });

  it.each([
    ['an error mark', '##[error]'],
    ['a command of a workflow', '::error file=a.ts,line=1::'],
    ['a step of BuildKit', '#12 3.456 '],
    ['the name of a container', 'db-1  | '],
    ['a time', '12:00:01.123 '],
    ['a level', '[ERROR] '],
    ['a program', 'make[2]: error: '],
    ['several of them', '##[error]Error: [web] '],
    ['a cause', 'Caused by: '],
    ['a bullet', '  ╰─▶ '],
  ])('read a message behind %s', (_what, prefix) => {
    expect(of(`${prefix}connect ETIMEDOUT 1.2.3.4:443`).rule).toBe('node-client');
  });

  it.each([
    ...[
      '##[error]',
      '##[warning]',
      '::error::',
      '::error file=a.ts,line=1::',
      '#12 ',
      '#12 13.456 ',
      '[web] ',
      '[2026-x] ',
    ],
    ...[
      '[12:00:01.5] ',
      'error: ',
      'error:',
      'ERROR   ',
      '[ERROR] ',
      '[fatal]: ',
      'fata[0012] ',
      'err! ',
      "'error' ",
      'severe: ',
    ],
    ...[
      'npm ERR! ',
      'npm error ',
      'db-1   | ',
      '12:00:01 ',
      '12:00:01,123 ',
      '> ',
      '!! ',
      '╰─▶ ',
      'Caused by: ',
      'caused by:',
      '17: ',
    ],
    ...['Unhandled rejection ', 'Uncaught Error: ', 'uncaught exception - ', 'src/a.cs(12,15): ', 'a.targets(7): '],
  ])('read what stands behind %j', (prefix) => {
    expect(toMessages(`${prefix}the end`)).toContain('the end');
    expect(toMessages(`x y ${prefix}the end`)).not.toContain('the end');
  });

  it.each(['make: error the end', 'make[12]: failed the end', 'bin/a.sh: fatal the end'])(
    'read %j from its error on',
    (line) => {
      expect(toMessages(line)).toContain(line.slice(line.indexOf(': ') + 2));
    },
  );

  it.each([
    'make: the end',
    '[a b] the end',
    '12 the end',
    '1:2 the end',
    'a(b): the end',
    '(1) the end',
    'errors the end',
  ])('read nothing apart in %j', (line) => {
    expect(toMessages(line)).toEqual([line]);
  });

  it.each([
    ...['warn one', 'warning one', 'one, retry', 'one, retrying', 'one, 2 retries left', 'one, trying again'],
    ...['attempt 12 of 30: one', 'attempt 1/3: one', 'retry 3 (1/3) one'],
  ])('take no line that says that it was survived: %j', (line) => {
    const says = ['.*one', '.*retr', '.*attempt', 'warn'];
    expect(createFindRule([{ id: 'a', class: 'flake', source: '', says, blames: [] }])(line)).toBeNull();
  });

  it.each([
    ...['one after retry', 'one after retrying', 'one, retry(Retry(total=0', 'one, retry (3/3)', 'one, retry limit'],
    ...['WARNING: Ignoring http one', 'warning: unable to access index one', 'one warns', 'one warned: the retried'],
    ...['attempt one of 3', 'attempt a of: one', 'retry: the runner has: one'],
  ])('take the last try: %j', (line) => {
    expect(createFindRule([{ id: 'a', class: 'flake', source: '', says: ['.*one'], blames: [] }])(line)?.id).toBe('a');
  });

  it('take the first rule of several that match, and only what it says', () => {
    const rule = (id: string, says: readonly string[], blames: readonly string[] = []): FailureRule => ({
      ...{ id, class: 'flake', source: 'https://example.org', says, blames },
    });
    const find = createFindRule([rule('a', ['one']), rule('b', ['one', 'two']), rule('c', [], ['three'])]);

    expect(['one', 'ONE more', 'two', 'three', 'three: timed out', 'no one'].map((line) => find(line)?.id)).toEqual([
      ...['a', 'a', 'b', undefined, 'c', undefined],
    ]);
  });

  it('read at most 600 characters of a line and four prefixes', () => {
    expect(toMessages('x'.repeat(700))).toEqual(['x'.repeat(600)]);
    expect(toMessages('error: error: error: error: error: last')).toHaveLength(5);
    expect(toMessages('plain')).toEqual(['plain']);
    expect(toMessages('  error: a  ')).toEqual(['error: a', 'a']);
  });

  it.each(['error: ', '1: ', '> ', 'a/', 'x'.repeat(80), '   ', '[a] ', '(1'])(
    'take little time for a line of many %j',
    (part) => {
      const line = part.repeat(Math.ceil(2000 / part.length));
      const from = performance.now();
      for (let count = 0; count < 5; count += 1) of(line);
      expect(performance.now() - from).toBeLessThan(60_000);
    },
  );
});

function toRegExp(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})`, 'iu');
}

function has(id: string, isSo: (message: string, line: string) => boolean): boolean {
  return (MESSAGES[id] ?? []).some((line) => toMessages(line).some((message) => isSo(message, line)));
}
