import type { JsonObject } from '../json.ts';
import { pullOf, renderIssueComment } from '../render/conversation.ts';
import { renderPullAsIssue } from '../render/pulls.ts';
import type { IssueComment, Pull, Reaction } from '../state.ts';
import { emit } from '../webhooks/emit.ts';
import type { WorldContext } from '../world-context.ts';

/** A text and its author. */
export type Remark = { readonly login: string; readonly body: string };

function emitIssueComment(
  world: WorldContext,
  comment: IssueComment,
  event: {
    readonly action: 'created' | 'edited' | 'deleted';
    readonly senderLogin: string;
    readonly extra?: JsonObject;
  },
): void {
  emit(world, {
    event: 'issue_comment',
    action: event.action,
    repositoryId: comment.repositoryId,
    senderLogin: event.senderLogin,
    body: {
      issue: renderPullAsIssue(world, pullOf(world, comment)),
      comment: renderIssueComment(world, comment),
      ...event.extra,
    },
  });
}

/** Adds a comment to the conversation. */
export function addComment(world: WorldContext, pull: Pull, remark: Remark): IssueComment {
  const at = world.now();
  const comment: IssueComment = {
    id: world.nextId(),
    repositoryId: pull.repositoryId,
    number: pull.number,
    authorLogin: remark.login,
    body: remark.body,
    createdAt: at,
    updatedAt: at,
    lastEditedAt: null,
  };
  world.state.issueComments.set(comment.id, comment);
  emitIssueComment(world, comment, { action: 'created', senderLogin: remark.login });
  return comment;
}

/** Changes the text of a comment. */
export function changeComment(world: WorldContext, comment: IssueComment, remark: Remark): IssueComment {
  const at = world.now();
  const changed = { ...comment, body: remark.body, updatedAt: at, lastEditedAt: at };
  world.state.issueComments.set(comment.id, changed);
  const extra = { changes: { body: { from: comment.body } } };
  emitIssueComment(world, changed, { action: 'edited', senderLogin: remark.login, extra });
  return changed;
}

/** Removes a comment. */
export function removeComment(world: WorldContext, comment: IssueComment, login: string): void {
  world.state.issueComments.delete(comment.id);
  emitIssueComment(world, comment, { action: 'deleted', senderLogin: login });
}

/** Adds a reaction. If the user has already added the same one, returns it with `isNew` false. */
export function addReaction(
  world: WorldContext,
  reaction: Pick<Reaction, 'subject' | 'subjectId' | 'content' | 'login'>,
): { readonly reaction: Reaction; readonly isNew: boolean } {
  const known = world.state.reactions.values().find((row) => {
    const isSameSubject = row.subject === reaction.subject && row.subjectId === reaction.subjectId;
    return isSameSubject && row.content === reaction.content && row.login === reaction.login;
  });
  if (known !== undefined) return { reaction: known, isNew: false };
  const added: Reaction = { ...reaction, id: world.nextId(), createdAt: world.now() };
  world.state.reactions.set(added.id, added);
  world.changed();
  return { reaction: added, isNew: true };
}
