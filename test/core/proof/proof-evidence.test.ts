import { describe, expect, it } from 'vitest';
import type { FailureSign } from '../../../src/core/evidence/log-failure.ts';
import type { ReportedFailure } from '../../../src/core/model/reported-failure.ts';
import type { DiagnosedJob } from '../../../src/core/model/workspace.ts';
import {
  findShown,
  type NamedFailure,
  NO_EVIDENCE,
  toCiEvidence,
  toNamed,
  toReviewProofEvidence,
} from '../../../src/core/proof/proof-evidence.ts';
import { aComment } from '../../support/builders.ts';

function aFailure(change: Partial<ReportedFailure> = {}): ReportedFailure {
  return {
    job: 'test',
    tool: 'pytest',
    path: 'tests/test_a.py',
    line: 3,
    rule: null,
    testId: 'test_a',
    message: 'x',
    ...change,
  };
}

function aJob(change: Partial<DiagnosedJob> = {}): DiagnosedJob {
  return { name: 'test', class: 'code', line: null, rule: null, tests: [], command: 'npm test', ...change };
}

describe('the evidence of red CI', () => {
  it('is what the closer look found for the checks that are to be fixed', () => {
    const failures = [aFailure(), aFailure({ job: 'docs' })];
    const jobs = [aJob(), aJob({ name: 'docs', command: 'npm run docs' }), aJob()];

    expect(toCiEvidence({ failures, jobs }, ['test'])).toEqual({ failures: [aFailure()], commands: ['npm test'] });
  });

  it('is empty where nobody looked', () => {
    expect(toCiEvidence(null, ['test'])).toBe(NO_EVIDENCE);
  });

  it.each([
    'actions/checkout@v4',
    'npm ci',
    'pip install -r requirements.txt',
    'docker compose up',
    'echo ${{ github.sha }}',
    `npm run ${'x'.repeat(400)}`,
  ])('does not lead to `%s`, which proves nothing here', (command) => {
    expect(toCiEvidence({ failures: [], jobs: [aJob({ command })] }, ['test']).commands).toEqual([]);
  });

  it('leads to three commands at most, and to none where the log shows none', () => {
    const jobs = ['a', 'b', 'c', 'd'].map((name) => aJob({ name, command: `make ${name}` }));

    expect(
      toCiEvidence({ failures: [], jobs: [aJob({ command: null }), ...jobs] }, ['test', 'a', 'b', 'c', 'd']).commands,
    ).toEqual([...['make a', 'make b', 'make c']]);
  });
});

describe('a failure of ours is the one of the evidence', () => {
  const isShown = (named: Partial<NamedFailure>, ours: Partial<NamedFailure>): boolean =>
    findShown({ failures: [aFailure(named)], commands: [] }, [aFailure(ours)]).length > 0;

  it.each([
    ['the test has the same name', { testId: 'TestX::test_a' }, { testId: 'TestX.test_a', path: null }],
    ['only numbers in the name differ', { testId: 'adds: -1 !== 5' }, { testId: 'adds: -7 !== 5' }],
    ['suites stand before it', { testId: 'sum > adds' }, { testId: 'test/sum.test.ts > sum > adds' }],
    [
      'the place has the same rule',
      { testId: null, path: 'src/a.ts', rule: 'TS2322', message: 'Type 1' },
      { testId: null, path: '/workspace/src/a.ts', rule: 'TS2322', message: 'Type 2' },
    ],
  ])('where %s', (_how, named, ours) => {
    expect(isShown(named, ours)).toBe(true);
  });

  it.each([
    ['another test fails', { testId: 'test_a' }, { testId: 'test_b' }],
    ['another message stands at the place', { testId: null, message: 'a' }, { testId: null, message: 'b' }],
    ['a place has no file', { testId: null }, { testId: null, path: null }],
  ])('not where %s', (_how, named, ours) => {
    expect(isShown(named, ours)).toBe(false);
  });
});

describe('what a log shows for sure', () => {
  it('are tests, places and exceptions', () => {
    const sign = (kind: FailureSign['kind']): FailureSign => ({
      ...{ kind, tool: null, path: null, line: null, column: null, rule: null, testId: null, message: kind },
    });

    expect(
      toNamed((['test', 'place', 'exception', 'exit', 'mention'] as const).map((kind) => sign(kind))),
    ).toMatchObject([...[{ message: 'test' }, { message: 'place' }, { message: 'exception' }]]);
  });
});

describe('the evidence of a review', () => {
  const resolve = (raw: string): string | null => (raw === 'tests/test_a.py' ? raw : null);
  const aRequest = (body: string) => ({ kind: 'changes_requested', reviewId: 1, author: 'grace', body }) as const;

  it('is the failed test that a reviewer quotes, with the command before it', () => {
    const body =
      'It fails:\n```\n$ pytest -q\nFAILED tests/test_a.py::test_y - assert 1 == 2\nFAILED gone.py::test_z - x\n```';

    expect(toReviewProofEvidence([aRequest(body)], resolve)).toMatchObject({
      failures: [
        { tool: 'pytest', path: 'tests/test_a.py', testId: 'test_y' },
        { path: null, testId: 'test_z' },
      ],
      commands: ['pytest -q'],
    });
  });

  it('is read in the comments of a thread, and in the request above them', () => {
    const comment = aComment({ body: 'FAILED tests/test_a.py::test_y - no' });
    const thread = {
      ...({ kind: 'thread', threadId: 'T1', path: 'a.py', line: 1, author: 'grace', newestCommentId: 1 } as const),
      words: [{ role: 'reviewer', comment }],
      request: 'FAILED tests/test_a.py::test_x - no',
    } as const;

    expect(toReviewProofEvidence([thread], resolve)?.failures.map(({ testId }) => testId)).toEqual([
      'test_x',
      'test_y',
    ]);
  });

  it('is none where nobody quotes a failed test', () => {
    expect(
      toReviewProofEvidence([aRequest('Please rename it. The FAIL: branch is wrong.\n1) why?')], resolve),
    ).toBeNull();
    expect(toReviewProofEvidence([], resolve)).toBeNull();
  });

  it('has a test without a file where the runner names none, and no command', () => {
    expect(toReviewProofEvidence([aRequest('--- FAIL: TestAdd (0.00s)')], resolve)).toMatchObject({
      failures: [{ tool: 'go', path: null, testId: 'TestAdd' }],
      commands: [],
    });
  });
});
