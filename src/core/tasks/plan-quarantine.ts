import { sha256 } from '../hash/sha256.ts';
import type { EpochMs } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import type { PlannedTask, Task } from '../model/task.ts';
import { toCountText } from '../text/words.ts';

/** Tests that are to be skipped until somebody repairs them. Shown in every summary. */
export interface Quarantine {
  readonly testIds: readonly string[];
  /** Who owns them; null: nobody is named. */
  readonly owner: string | null;
  readonly reason: string;
  readonly expiresAt: EpochMs;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The quarantine of tests that no attempt could repair; null: the policy does not allow it, or the task is not one of tests that ran
 * and failed. Its task does nothing but skip the named tests, and its change is held for a person (resolution S29): a failing test is
 * never hidden.
 */
export function planQuarantine(
  task: Task,
  { status, cause, causeDetail }: Pick<Task, 'status' | 'cause' | 'causeDetail'>,
  { settings, now }: { readonly settings: Policy['tasks']; readonly now: EpochMs },
): { readonly task: PlannedTask; readonly quarantine: Quarantine } | null {
  const { tool, worker, priority, targets, findings } = task;
  const { testIds } = targets;
  const isAllowed = settings.quarantine && status === 'blocked' && cause === 'RETRY_CAP';
  if (!isAllowed || testIds.length === 0 || task.taskType === 'quarantine') return null;
  const owner = settings.quarantineOwner;
  const expiresAt = now + settings.quarantineDays * DAY_MS;
  return {
    quarantine: { testIds, owner, reason: causeDetail, expiresAt },
    task: {
      ...{ tool, worker, priority, targets, findings },
      fingerprint: sha256(JSON.stringify(['quarantine', task.fingerprint])),
      taskType: 'quarantine',
      title: `Quarantine ${toCountText(testIds.length, 'test')} that nobody could repair`,
      description: [
        ...testIds,
        `owner: ${owner ?? 'nobody'}`,
        `expires: ${new Date(expiresAt).toISOString().slice(0, 10)}`,
        `reason: ${causeDetail}`,
      ].join('\n'),
      validation: {
        ...task.validation,
        successCriteria: { require_exit_code_0: false, max_new_findings: 0, min_coverage_delta: null },
      },
      retryPolicy: { maxRetries: 0 },
      dependsOn: [],
    },
  };
}
