import { createHash } from 'node:crypto';
import type { Workspace } from '../../core/model/workspace.ts';
import type { CheckRunContent } from '../../ports/github.ts';
import type { CheckRunIdentity } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';

/** A check run to send. `isUnseen`: no check run of this name is at its head, so a new one needs no search. */
export interface CheckRunToSend {
  readonly workspace: Pick<Workspace, 'key' | 'repository'>;
  readonly series: string;
  readonly content: CheckRunContent;
  readonly isUnseen: boolean;
}

/**
 * Creates or updates a check run of ours and returns its id. Unchanged content without annotations makes no call. A check run that
 * exists on GitHub but not in the database is adopted, not duplicated.
 */
export async function sendCheckRun(
  deps: Pick<Deps, 'github' | 'log' | 'store'>,
  { workspace, series, content, isUnseen }: CheckRunToSend,
  signal: AbortSignal,
): Promise<number> {
  const { annotations = [], ...unannotated } = content;
  const { headSha, name, status, conclusion, title } = content;
  const { key, repository } = workspace;
  const row = { key, headSha, name, series, completed: status === 'completed' };
  const stored = deps.store.checkRun(row);
  const known = stored?.checkRunId ?? null;
  const contentHash = createHash('sha256').update(JSON.stringify(unannotated)).digest('hex');
  if (known !== null && stored?.contentHash === contentHash && annotations.length === 0) return known;
  // Stored before the check run is created: after a crash in between, the row makes the next attempt search for it.
  if (stored === null) deps.store.saveCheckRun({ ...row, checkRunId: null, contentHash: null, completed: false });
  const isFirst = stored === null && isUnseen;
  const checkRunId = known ?? (await deps.github.createCheckRun(repository, content, signal, isFirst));
  if (known !== null) await deps.github.updateCheckRun(repository, known, content, signal);
  deps.store.saveCheckRun({ ...row, checkRunId, contentHash });
  deps.log.info({ key, headSha, name, checkRunId, status, conclusion, title }, 'check run updated');
  return checkRunId;
}

/** Makes the next report send the check run again, even if unchanged. GitHub's Re-run button makes its suite wait for an update. */
export function forgetCheckRun({ store }: Pick<Deps, 'store'>, identity: CheckRunIdentity): void {
  const stored = store.checkRun(identity);
  if (stored !== null) store.saveCheckRun({ ...stored, contentHash: null });
}
