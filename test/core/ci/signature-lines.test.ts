import { describe, expect, it } from 'vitest';
import { toFailureSignature } from '../../../src/core/ci/failure-signature.ts';
import { aCheck } from '../../support/builders.ts';

const signatureOf = (...lines: readonly string[]): string =>
  toFailureSignature([{ check: aCheck({ conclusion: 'failure' }), failures: [], lines }], []);

/** More lines of failure than may leave it open what failed: the end of the step does not count then. */
const FAILURES = ['Error: a', 'fatal: b', 'FAILED c'];

/** Whether a line beside failures makes the failure another one. */
const counts = (line: string): boolean => signatureOf(line, ...FAILURES) !== signatureOf(...FAILURES);

/** Whether a line does where nothing speaks of a failure. */
const countsAlone = (line: string): boolean =>
  signatureOf('built a', line, 'the size is wrong') !== signatureOf('built a', 'the size is wrong');

describe('a line is of the failure', () => {
  it.each([
    ...['error', '  error x', '>> ERROR x', '[error] x', '[ERROR x', 'fatal x', 'failed x', 'failure x', 'fail x'],
    ...['panic x', 'exception x', 'Traceback x', 'abort x', 'aborted x', 'Aborting x', 'npm err x'],
    ...['npm ERR! x', 'Caused by x', 'TypeError x', 'a NullPointerException x', 'x error: y', 'x error : y'],
    ...['x fatal: y', 'x exception: y', 'x panic: y', 'x failed y', 'x failing y', 'x failure y', 'x failures y'],
    ...['x panicked y', 'x goroutine 17 [running]', 'x error', 'x fail', 'x failed', 'x failure!', 'x error!'],
  ])('that reads like %j', (line) => {
    expect(counts(line)).toBe(true);
  });

  it.each([
    ...['x Error y', 'an error was x', 'x error y', 'x.fatal y', 'x goroutine a [', 'x goroutine 17', 'x Errors y'],
    ...['aborts x', 'x caused by y', 'the npm errand', '- Error', 'a failover', 'an error! x'],
  ])('unlike %j', (line) => {
    const isOne = line === '- Error';
    expect(counts(line)).toBe(isOne);
  });
});

describe('a line is no part of a failure', () => {
  it.each([
    // What passed.
    ...[
      '✓ a failed b',
      '  ✔ fails on error',
      '√ error',
      'ok 1 - error',
      'PASS error',
      'PASSED error',
      '--- PASS: error',
    ],
    ...['[ OK ] error', '[       OK   ] error', '[info] error', 'warning error', 'WARN error', '[warn] error'],
    ...['a error ... ok', 'a error ...ok', '0 failures', '1 test, 0 failed', '0 errors', '12 tests, 0 failure'],
    ...['0 error', 'Failures: 0', 'tests: 3, errors: 0, failures: 0'],
    // What is on its way.
    ...['a failed SKIPPED', 'failed, retrying', ' 17% [= error', '17%[ error', `${'✓'.repeat(20)} error`],
    ...["Starting 'error'", "[03:04:05] Finished 'error'", 'travis_time:error', 'travis_fold:start:error'],
    // What tells of any failure.
    ...[],
    ...['… 123 lines left out …', 'remote: Compressing error', 'Receiving objects: error', 'Counting error'],
    ...['Resolving deltas: error'],
    // Frames in code of others.
    ...['    at error (/app/node_modules/a/b.js:1:2)', 'at error (node:internal/modules/run_main:1:2)'],
    ...['  File "/usr/lib/python3.12/error.py", line 3', 'File "/usr/lib/python3.12/error.py"'],
    ...['', ' ', '\t '],
  ])('that reads like %j', (line) => {
    expect(counts(line)).toBe(false);
    expect(countsAlone(line)).toBe(false);
  });

  it.each([
    // What only has such words within it, or counts a failure.
    ...['error ✓', 'error ok', 'token error', 'PASSWORD error', 'failed: [OK]', 'error [info]', 'Error: warning'],
    ...['1 failure, 0 errors', '0 failures, 12 errors', '0 errors, 10 failed', '0 failed, 1 error, 1 failure'],
    ...['0 failed and 1 failed', 'failures: 0, errors: 3', 'errors: 0, Failures: 12', '10 failures'],
    ...['error of 17% [', `error ${'✓'.repeat(19)}`, "error Starting 'a'", 'error in travis_time:a'],
    ...['error ##[error]Process completed with exit code 1.', 'Error: … 3 lines left out …'],
    ...['… some lines left out …: error', '… x lines left out … error', '… 3 lines left out … error: a'],
    ...['error: Counting', 'error: The command "x" exited with 1', 'failed: File "/app/a.py"'],
  ])('unlike %j', (line) => {
    expect(counts(line)).toBe(true);
  });
});

describe('the line that ends a failed step', () => {
  it.each([
    '##[error]Process completed with exit code 1.',
    '##[error]Error: Process completed with exit code 3.',
    'The command "make" exited with 1.',
    'The command "x y" failed and exited with 2',
  ])('says nothing where it reads like %j', (line) => {
    expect(signatureOf(...FAILURES, line)).toBe(signatureOf(...FAILURES));
    expect(signatureOf('the size is wrong', line)).toBe(signatureOf('the size is wrong'));
  });

  it('says something where it has words of its own', () => {
    expect(signatureOf(...FAILURES, '##[error]Process completed with exit code 2.')).not.toBe(signatureOf(...FAILURES));
  });
});

describe('a frame counts where its code is of the project', () => {
  it.each(['    at a (src/a.js:1:2)', '  File "src/a.py", line 3', "src/a.rb:3:in `b'", "src/a.rb:3:in 'b'"])(
    '%s',
    (line) => {
      expect(countsAlone(line)).toBe(true);
    },
  );

  it.each(['error /usr/lib/node_modules/a at b', 'x /usr/lib/python3/File'])(
    'and so does what is no frame: %s',
    (line) => {
      expect(countsAlone(line)).toBe(true);
    },
  );
});

describe('what stands for a failure', () => {
  const many = (count: number, text = 'line') =>
    Array.from({ length: count }, (_, index) => `${text} ${'x'.repeat(index)}`);

  it('is told at most 60 lines before the end of a step', () => {
    expect(signatureOf('Error: z', ...many(56), ...FAILURES)).not.toBe(signatureOf(...many(56), ...FAILURES));
    expect(signatureOf('Error: z', ...many(57), ...FAILURES)).toBe(signatureOf(...many(57), ...FAILURES));
  });

  it('is named at most 1,500 lines before it', () => {
    const test = '--- FAIL: TestA (0.00s)';

    expect(signatureOf(test, ...many(1496), ...FAILURES)).not.toBe(signatureOf(...many(1496), ...FAILURES));
    expect(signatureOf(test, ...many(1497), ...FAILURES)).toBe(signatureOf(...many(1497), ...FAILURES));
  });

  it('is also the end of the step where only two lines speak of it, and not where three do', () => {
    expect(signatureOf('a', 'Error: a', 'Error: b')).not.toBe(signatureOf('b', 'Error: a', 'Error: b'));
    expect(signatureOf('a', ...FAILURES)).toBe(signatureOf('b', ...FAILURES));
  });

  it('follows the last command that the log shows, and is no part of a price or of a last command without output', () => {
    expect(signatureOf('a', '$ make', 'c')).toBe(signatureOf('b', '$ make', 'c'));
    expect(signatureOf('a', 'it costs $ 3', 'c')).not.toBe(signatureOf('b', 'it costs $ 3', 'c'));
    expect(signatureOf('a', '$ make')).not.toBe(signatureOf('b', '$ make'));
  });

  it('is nothing where noise is all that is left of a line', () => {
    expect(signatureOf(...FAILURES, '==12==')).toBe(signatureOf(...FAILURES));
  });
});
