import { describe, expect, it } from 'vitest';
import { explain } from '../../src/cli/explain.ts';
import { readRecordedPayloads } from '../webhooks/recorded-payloads.ts';

/** What GitHub sent, as one of the lists that `explain ci` takes: webhooks carry the objects of the REST API. */
function recordedCi(
  eventName: 'check_run' | 'workflow_run' | 'status',
  index: number,
): Readonly<Record<string, unknown>> {
  const found = readRecordedPayloads().find((one) => one.eventName === eventName && one.index === index);
  if (found === undefined) throw new Error(`no recorded ${eventName} ${String(index)}`);
  const inner = eventName === 'status' ? found.payload : found.payload[eventName];
  if (typeof inner !== 'object' || inner === null) throw new Error('the payload has no such object');
  return { ...inner };
}

type Lists = Partial<Record<'checkRuns' | 'workflowRuns' | 'statuses', readonly Readonly<Record<string, unknown>>[]>>;

function judge(headSha: unknown, lists: Lists): unknown {
  const times = { headPushedAt: '2019-01-01T00:00:00Z', now: '2026-01-01T00:00:00Z' };
  const { exitCode, stdout, stderr } = explain('ci', JSON.stringify({ headSha, ...times, ...lists }));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('explain ci, from payloads that GitHub sent', () => {
  it.each([
    ['check_run', 0, 'pending'],
    ['check_run', 1, 'failure'],
    ['check_run', 2, 'success'],
    ['check_run', 3, 'success'],
    ['check_run', 4, 'pending'],
    ['check_run', 5, 'pending'],
    ['check_run', 6, 'pending'],
    ['check_run', 7, 'success'],
    ['check_run', 8, 'success'],
    ['workflow_run', 0, 'pending'],
    ['workflow_run', 1, 'success'],
    ['workflow_run', 2, 'success'],
    ['workflow_run', 3, 'pending'],
    ['workflow_run', 4, 'blocked'],
    ['status', 0, 'success'],
    ['status', 3, 'success'],
  ] as const)('judges %s %i', (eventName, index, status) => {
    const raw = recordedCi(eventName, index);
    const list = { check_run: 'checkRuns', workflow_run: 'workflowRuns', status: 'statuses' }[eventName];

    expect(judge(raw['head_sha'] ?? raw['sha'], { [list]: [raw] })).toMatchObject({ status });
    expect(judge('0'.repeat(40), { [list]: [raw] })).toMatchObject({ status: 'pending', runId: null });
  });

  it('takes the end of a run for newer than its beginning, in any order (trap 10)', () => {
    const told = [0, 4, 2].map((index) => recordedCi('check_run', index));

    expect(judge(told[0]?.['head_sha'], { checkRuns: told })).toMatchObject({ status: 'success' });
    expect(judge(told[0]?.['head_sha'], { checkRuns: [...told].reverse() })).toMatchObject({ status: 'success' });
  });

  it('puts a red status beside green check runs (trap 13)', () => {
    const check = recordedCi('check_run', 2);
    const status = { ...recordedCi('status', 0), sha: check['head_sha'], state: 'failure' };

    expect(judge(check['head_sha'], { checkRuns: [check], statuses: [status] })).toMatchObject({ status: 'failure' });
  });

  it.each([
    ['stale', 'pending'],
    ['startup_failure', 'failure'],
    ['cancelled', 'pending'],
    ['timed_out', 'failure'],
    ['action_required', 'blocked'],
    ['something_new', 'pending'],
  ])('reads a recorded check run that ended as %s (trap 67, trap 137)', (conclusion, status) => {
    const check = { ...recordedCi('check_run', 2), conclusion };

    expect(judge(recordedCi('check_run', 2)['head_sha'], { checkRuns: [check] })).toMatchObject({ status });
  });
});
