import { createHash } from 'node:crypto';
import type { CheckAnnotation } from '../../core/model/check-run.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { CheckRunContent } from '../../ports/github.ts';
import type { CheckRunIdentity, StoredCheckRun } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';

/** A check run to send. `isUnseen`: no check run of this name is at its head, so a new one needs no search. */
export interface CheckRunToSend {
  readonly workspace: Pick<Workspace, 'key' | 'repository'>;
  readonly series: string;
  /** Its annotations are sent with a new check run only, because GitHub appends them. */
  readonly content: CheckRunContent;
  /** Annotations to append. */
  readonly batch?: readonly CheckAnnotation[];
  readonly isUnseen: boolean;
}

/**
 * Creates or updates a check run of ours and returns its id. Unchanged content without a batch makes no call. A completed check run
 * keeps its conclusion on GitHub, so a new generation with the same name takes its place where the conclusion changes. A check run
 * that exists on GitHub but not in the database is adopted, not duplicated.
 */
export async function sendCheckRun(
  deps: Pick<Deps, 'github' | 'log' | 'store'>,
  send: CheckRunToSend,
  signal: AbortSignal,
): Promise<number> {
  const { workspace, series, content, batch = [] } = send;
  const { headSha, name, status, conclusion, title } = content;
  const { key } = workspace;
  const stored = deps.store.checkRun({ key, headSha, name, series });
  const contentHash = toHash(content);
  if (stored !== null && stored.checkRunId !== null && stored.contentHash === contentHash && batch.length === 0)
    return stored.checkRunId;
  const row = toCurrentRow(stored ?? toNewRow({ key, headSha, name, series }), content);
  // Stored before the check run is created: after a crash in between, the row makes the next attempt search for it.
  if (row !== stored) deps.store.saveCheckRun(row);
  const isFirst = stored === null ? send.isUnseen : row !== stored;
  const checkRunId = await createOrUpdate(deps, send, { row, isFirst }, signal);
  deps.store.saveCheckRun({ ...row, checkRunId, contentHash, completed: status === 'completed', conclusion });
  deps.log.info({ key, headSha, checkRun: name, checkRunId, status, conclusion, title }, 'check run updated');
  return checkRunId;
}

async function createOrUpdate(
  { github }: Pick<Deps, 'github'>,
  { workspace: { repository }, content, batch = [] }: CheckRunToSend,
  { row, isFirst }: { readonly row: StoredCheckRun; readonly isFirst: boolean },
  signal: AbortSignal,
): Promise<number> {
  const suffix = row.generation === 0 ? '' : `:${String(row.generation)}`;
  const sent = { ...content, externalId: `${content.externalId}${suffix}` };
  if (row.checkRunId === null) return github.createCheckRun(repository, sent, signal, isFirst);
  await github.updateCheckRun(repository, row.checkRunId, { ...sent, annotations: batch }, signal);
  return row.checkRunId;
}

/** The row itself, or that of the next generation if its check run cannot show the content. */
function toCurrentRow(row: StoredCheckRun, content: CheckRunContent): StoredCheckRun {
  const isKept = content.status === 'completed' && content.conclusion === row.conclusion;
  return row.checkRunId !== null && row.completed && !isKept ? toNextGeneration(row) : row;
}

function toNewRow({ key, headSha, name, series }: CheckRunIdentity): StoredCheckRun {
  return {
    ...{ key, headSha, name, series },
    generation: 0,
    checkRunId: null,
    contentHash: null,
    completed: false,
    conclusion: null,
  };
}

function toNextGeneration(row: StoredCheckRun): StoredCheckRun {
  return { ...toNewRow(row), generation: row.generation + 1 };
}

function toHash(content: CheckRunContent): string {
  return createHash('sha256')
    .update(JSON.stringify({ ...content, annotations: undefined }))
    .digest('hex');
}

/**
 * Makes the next report send the check run again, even if unchanged: GitHub's Re-run button makes its suite wait for a result. A
 * completed check run gets a successor.
 */
export function forgetCheckRun({ store }: Pick<Deps, 'store'>, identity: CheckRunIdentity): void {
  const stored = store.checkRun(identity);
  if (stored !== null)
    store.saveCheckRun(stored.completed ? toNextGeneration(stored) : { ...stored, contentHash: null });
}
