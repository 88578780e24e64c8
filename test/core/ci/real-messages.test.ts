import { describe, expect, it } from 'vitest';
import { classifyFailure } from '../../../src/core/ci/classify-failure.ts';
import { toFailureLines } from '../../../src/core/ci/to-failure-lines.ts';
import { readLog } from '../../../src/core/evidence/read-log.ts';
import type { FailureClass } from '../../../src/core/model/failure-class.ts';

const END = '##[error]Process completed with exit code 1.';

function classOf(line: string): FailureClass {
  const log = ['##[group]Run make', 'make', '##[endgroup]', 'building', line, END].join('\n');
  const failures = readLog(log, 32 * 1024).failures.map(({ failure }) => failure);
  return classifyFailure({
    check: { conclusion: 'failure' },
    failures,
    lines: toFailureLines({ messages: [], log }),
  }).class;
}

describe('classifyFailure, from a whole log,', () => {
  it.each([
    "##[error]The action 'Run tests' has timed out after 10 minutes.",
    'Failed to save: Cache service responded with 503',
    'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1234 (apt-get)',
    "fatal: unable to access 'https://github.com/acme/shop/': Connection reset",
    "fatal: unable to access 'https://github.com/acme/shop/': The requested URL returned error: 500",
    'Error: listen EADDRINUSE: address already in use :::3000',
    'fatal: early EOF',
    'Error: API rate limit exceeded for installation ID 1.',
    'E: Failed to fetch http://archive.ubuntu.com/ubuntu/a.deb  Hash Sum mismatch',
    'Error: Failed to launch the browser process!',
    'curl: (60) SSL certificate problem: certificate has expired',
    "curl: (60) SSL: no alternative certificate subject name matches target host name 'dl.example.org'",
    "curl: (51) SSL: certificate subject name 'a.example.org' does not match target host name 'dl.example.org'",
    'ERROR: no certificate subject alternative name matches',
    "ERROR: certificate common name 'a.example.org' doesn't match requested host name 'dl.example.org'.",
    "ERROR: cannot verify dl.example.org's certificate, issued by 'CN=R3':",
  ])('takes a word of the runner, of an installer or of a client for what it is: %s', (line) => {
    expect(['infrastructure', 'flake']).toContain(classOf(line));
  });

  it.each([
    './client.go:12:5: undefined: ETIMEDOUT',
    '--- FAIL: TestReturns502 (0.00s)',
    'src/net.ts:3:5: error  ECONNRESET is not handled  acme/handle-errors',
    '    main_test.go:9: exit code 137, want 143',
    'E       AssertionError: expected 503 Service Unavailable, got 200',
    '  • [FAILED] retries after Connection reset [0.1 seconds]',
  ])('takes code that speaks of a network for code: %s', (line) => {
    expect(classOf(line)).toBe('code');
  });

  it.each([
    "curl: (60) SSL: no alternative certificate subject name matches target host name 'localhost'",
    "curl: (51) SSL: certificate subject name 'a.example.org' does not match target host name '127.0.0.1'",
    "ERROR: certificate common name 'a.example.org' doesn't match requested host name 'localhost'.",
    "ERROR: cannot verify localhost's certificate, issued by 'CN=test':",
  ])('does not take the certificate of a server of the tests for infrastructure: %s', (line) => {
    expect(['infrastructure', 'flake']).not.toContain(classOf(line));
  });
});
