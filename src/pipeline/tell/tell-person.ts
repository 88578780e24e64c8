import { createHash } from 'node:crypto';
import { isReviewAwaited } from '../../core/decide/review-words.ts';
import type { Decision } from '../../core/model/decision.ts';
import { GitHubError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import {
  PERSON_COMMENT_MARKER,
  renderNothingToDo,
  renderPersonComment,
  toPersonNeed,
} from '../../core/render/render-person-comment.ts';
import type { Deps } from '../deps.ts';
import type { Look } from '../look/take-snapshot.ts';

type TellDeps = Pick<Deps, 'github' | 'log' | 'redact' | 'store'>;

/**
 * Posts one comment if a person must act, and edits it later, also when nobody has to act any more. Unchanged text makes no call.
 * If comments are permanently refused (a locked conversation), the loop continues without one.
 */
export async function tellPerson(deps: TellDeps, look: Look, decision: Decision, signal: AbortSignal): Promise<void> {
  const workspace = deps.store.workspace(look.workspace.key);
  if (look.facts === null || workspace === null) return;
  const need = toPersonNeed(decision);
  if (need === 'open' || (need === 'over' && workspace.commentHash === null)) return;
  if (need === 'needed' && look.policy.comment === 'never') return;
  const { headSha } = look.facts;
  const isNeeded = need === 'needed';
  const text = isNeeded
    ? renderPersonComment({ ...look, decision }, headSha)
    : renderNothingToDo(headSha, isReviewAwaited(decision, look.snapshot.review));
  await send(deps, { look, body: deps.redact(text), isNeeded, headSha }, signal);
}

async function send(
  { github, log, store }: TellDeps,
  comment: { readonly look: Look; readonly body: string; readonly isNeeded: boolean; readonly headSha: Sha },
  signal: AbortSignal,
): Promise<void> {
  const { workspace } = comment.look;
  const commentHash = createHash('sha256').update(comment.body).digest('hex');
  if (store.workspace(workspace.key)?.commentHash === commentHash) return;
  const body = `${PERSON_COMMENT_MARKER}\n${comment.body}\n`;
  try {
    if (comment.isNeeded) await github.upsertComment(workspace, PERSON_COMMENT_MARKER, body, signal);
    else await github.editComment(workspace, PERSON_COMMENT_MARKER, body, signal);
    log.info({ key: workspace.key, headSha: comment.headSha, needed: comment.isNeeded }, 'comment updated');
  } catch (error) {
    if (!(error instanceof GitHubError) || error.retry !== 'never') throw error;
    log.warn({ key: workspace.key, error }, 'the comment could not be written');
  }
  store.updateWorkspace(workspace.key, { commentHash });
}
