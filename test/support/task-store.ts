import { createHash } from 'node:crypto';
import { parseRunId } from '../../src/core/model/ids.ts';
import type { PlannedTask, TaskFinding } from '../../src/core/model/task.ts';
import type { NewTaskRun } from '../../src/core/model/task-record.ts';
import type { AttemptEnd, TaskStanding } from '../../src/ports/task-store.ts';
import { fakeSha } from './store.ts';

/** A fingerprint that depends on `seed` alone. */
export function aFingerprint(seed: string): string {
  return createHash('sha256').update(seed).digest('hex');
}

/** A run on a local repository. */
export function aTaskRun(id = 'run-1', fields: Partial<NewTaskRun> = {}): NewTaskRun {
  return {
    id: parseRunId(id),
    repoPath: '/home/me/project',
    commit: fakeSha('commit'),
    startedAt: 1_000,
    workspaceKey: null,
    sessionId: null,
    baseSha: fakeSha('base'),
    historySince: 0,
    config: { max_workers: 2 },
    ...fields,
  };
}

/** A failed test; its fingerprint follows from `seed`. */
export function aTaskFinding(seed: string, fields: Partial<TaskFinding> = {}): TaskFinding {
  return {
    ...{ tool: 'vitest', kind: 'test_failure', severity: 'high', fingerprint: aFingerprint(seed) },
    ...{ message: `expected ${seed}`, filePath: 'test/a.test.ts', line: 3, column: 5, symbol: null },
    ...{ testId: `a > ${seed}`, rawRef: 'vitest/report.json' },
    meta: { project: '.', signature: null, percent: null },
    ...fields,
  };
}

/** A task about nothing that is stored; its fingerprint follows from `seed`. */
export function aPlannedTask(seed: string, fields: Partial<PlannedTask> = {}): PlannedTask {
  return {
    fingerprint: aFingerprint(seed),
    ...{ tool: 'vitest', taskType: 'fix', worker: 'agent', priority: 10 },
    ...{ title: `fix ${seed}`, description: `Fix ${seed}.` },
    targets: { files: ['test/a.test.ts'], testIds: [], modules: [] },
    validation: {
      commands: [{ runner: 'node', args: ['vitest', 'run'], env: { CI: '1' }, cwd: '.', timeout_seconds: 60 }],
      check: { engine: 'vitest', project: '.', paths: ['test/a.test.ts'] },
      successCriteria: { require_exit_code_0: true, max_new_findings: 0, min_coverage_delta: null },
    },
    retryPolicy: { maxRetries: 2 },
    dependsOn: [],
    findings: [],
    ...fields,
  };
}

/** An attempt that failed its validation. */
export function anAttemptEnd(fields: Partial<AttemptEnd> = {}): AttemptEnd {
  return {
    ...{ status: 'failed', cause: 'VALIDATION_FAILED', detail: '1 test is red', at: 5_000 },
    ...{ agentExitCode: 0, validationExitCode: 1, summary: 'I tried.', changeRef: null, use: null },
    diffStat: { files: 1, insertions: 2, deletions: 3 },
    artifacts: [],
    ...fields,
  };
}

export const QUEUED: TaskStanding = { status: 'queued', cause: null, causeDetail: '' };
export const SUCCEEDED: TaskStanding = { status: 'succeeded', cause: null, causeDetail: '' };

export function blocked(causeDetail = 'three attempts failed'): TaskStanding {
  return { status: 'blocked', cause: 'RETRY_CAP', causeDetail };
}
