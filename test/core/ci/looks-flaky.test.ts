import { describe, expect, it } from 'vitest';
import { looksFlaky } from '../../../src/core/ci/looks-flaky.ts';
import type { CheckResult } from '../../../src/core/model/pull-request.ts';
import { aCheck } from '../../support/builders.ts';

function flaky(text: string | null, conclusion: CheckResult['conclusion'] = 'failure'): boolean {
  return looksFlaky({ check: aCheck({ conclusion }), text });
}

const INFRASTRUCTURE = [
  'The hosted runner: GitHub Actions 2 lost communication with the server. Anything in your workflow that…',
  'The runner has received a shutdown signal. This can happen when the runner service is stopped.',
  'The job running on runner GitHub Actions 5 has exceeded the maximum execution time of 360 minutes.',
  'The job was not acquired by Runner of type hosted even after multiple attempts',
  'GitHub Actions runner has encountered an internal error and the running job was not finished.',
  'tar: out.txt: Cannot write: No space left on device',
  'Error: ENOSPC: System limit for number of file watchers reached',
  'The container was OOMKilled',
  'oom-killed',
  'kernel: Out of memory: Killed process 812 (node)',
  '##[error]Process completed with exit code 137.',
  'npm error network read ECONNRESET',
  'connect ETIMEDOUT 104.16.0.35:443',
  'npm error code ESOCKETTIMEDOUT',
  'getaddrinfo EAI_AGAIN registry.npmjs.org',
  'npm error code ENOTFOUND',
  "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com",
  'Temporary failure in name resolution',
  'net/http: TLS handshake timeout',
  'read tcp 10.1.0.4:443: connection reset by peer',
  'curl: (28) Connection timed out after 300 s',
  'dial tcp 1.2.3.4:443: i/o timeout',
  'toomanyrequests: You have reached your pull rate limit.',
  'npm error 503 Service Unavailable - GET https://registry.npmjs.org/a',
  '502 Bad Gateway',
  '504 Gateway Timeout',
  '429 Too Many Requests',
  'error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502',
  'received status code 503 from the mirror',
  'npm error code E503',
  'Error: Test timed out in 5000ms.',
  'Error: Timeout of 2000ms exceeded. For async tests…',
  'page.goto: Timeout 30000ms exceeded.',
  'thrown: "Exceeded timeout of 5000 ms for a test."',
  'context deadline exceeded',
  'was not acquired by runner',
  'runner has encountered an error',
  'oomkilled',
  'oom killed',
  '503 Service Temporarily Unavailable',
  '504 Gateway Time-out',
  'HTTP/1.1 503',
  'HTTP/2 502',
  'status: 503',
  'status code 429',
  'status code: 504',
  'response code=502',
  'The requested URL returned error: 503',
  'hooks timed out',
  'step timed out',
  'the operation timed out',
  'requests timed out',
  'command timed out',
  'timeout 5000 ms exceeded',
  'Timeout of 2s exceeded',
  'exceeded timeout of 10',
];

const REAL = [
  'AssertionError: 1 != 2',
  'junit.framework.AssertionFailedError: no',
  'assertion failed: left == right',
  'AssertError: no',
  'assert failed',
  'assertions failed: 2',
  'asserts failed: 2',
  '  actual: 4',
  'received : 4',
  'expected 3 but got 4',
  'expected 3, received 4',
  'expected it to match /a/',
  'expected it to be true',
  'expected it to have a name',
  'expected it to contain a name',
  'expected it to throw',
  'expected it to include a name',
  'src/a.c:3:1 error: no such thing',
  'undefined reference to f',
  '✖ 1 problem',
  'thread panicked: assertion `left == right` failed',
  'E       assert 1 == 2',
  '  Expected: 3',
  '    Received: 4',
  'expected 3 to equal 4',
  'Expected status 200 but was 500',
  'want 3, got 4',
  'got 4, want 3',
  'TypeError: x is not a function',
  'ModuleNotFoundError: No module named a',
  'NullPointerException',
  'panic: runtime error: index out of range',
  'Segmentation fault (core dumped)',
  'src/a.ts(3,1): error TS2322: no',
  'error[E0308]: mismatched types',
  'src/a.c:3:1: error: no such thing',
  'src/a.c:3:1: fatal error: no such file',
  '  3:1  error  Missing semicolon  semi',
  'undefined reference to `f`',
  'error: cannot find symbol',
  '✖ 3 problems (3 errors, 0 warnings)',
];

describe('looksFlaky', () => {
  it.each(INFRASTRUCTURE)('takes %j for the doing of the infrastructure (S7)', (line) => {
    expect(flaky(`Installing\n${line}\nPost job cleanup.`)).toBe(true);
  });

  it.each(REAL)('takes %j for a real failure, also beside an infrastructure one', (line) => {
    expect(flaky(`connect ETIMEDOUT\n${line}`)).toBe(false);
    expect(flaky(`${line}\nThe runner has received a shutdown signal`)).toBe(false);
    expect(flaky(line, 'timed_out')).toBe(false);
  });

  it.each([
    'npm warn network retry ECONNRESET',
    'warning: Could not resolve host, using the cache',
    'attempt 1 failed: connection timed out, retrying',
    'Connection reset by peer. Trying again in 3 s',
    'request timed out; 2 retries left',
    'HTTP 503, will retry',
    'warn ECONNRESET',
    'warning: ECONNRESET',
    'retry after ECONNRESET',
    'retrying after ECONNRESET',
  ])('does not hold %j, which was survived, against the job', (line) => {
    expect(flaky(`${line}\nFormatting differs in a.ts`)).toBe(false);
  });

  it.each(['forewarned of ECONNRESET', 'warned: ECONNRESET', 'ECONNRESET, retried'])(
    'holds %j against it: nothing says that it was survived',
    (line) => {
      expect(flaky(line)).toBe(true);
    },
  );

  it.each([
    'SomeE  assert',
    'xx expected: 3',
    'TypeErrors of the past',
    'an error TS of kind',
    'at a:3 error',
    'no problems',
  ])('sees no real failure in %j', (line) => {
    expect(flaky(`ECONNRESET\n${line}`)).toBe(true);
  });

  it('knows a lost runner even where the line warns', () => {
    expect(flaky('warning: the runner has received a shutdown signal')).toBe(true);
  });

  it.each([
    'Formatting differs in a.ts',
    '##[error]Process completed with exit code 1.',
    'exit code 1370',
    'An unexpected error; 503 files were read',
    'returned 1502 rows',
    'port 8503',
    'status of 503 rows',
    'status code 5031',
    'enoughENOSPC',
    'an unretried request',
    'Timeout of hours exceeded',
    '',
  ])('sees nothing flaky in %j', (line) => {
    expect(flaky(line)).toBe(false);
  });

  it.each(['timed_out', 'startup_failure'] as const)('needs no text for %s', (conclusion) => {
    expect(flaky(null, conclusion)).toBe(true);
    expect(flaky('', conclusion)).toBe(true);
  });

  it('takes what could not be read for a real failure', () => {
    expect(flaky(null)).toBe(false);
  });
});
