import { loginOf } from '../auth/caller.ts';
import { isAtLeast, permissionOf } from '../auth/permissions.ts';
import { ofPull } from '../find.ts';
import { stringAt } from '../json.ts';
import { addComment, addReaction, changeComment, removeComment } from '../operations/change-conversation.ts';
import { renderIssueComment, renderReaction } from '../render/conversation.ts';
import type { IssueComment, Reaction, ReactionContent, Repository } from '../state.ts';
import { pullParam } from './pull-routes.ts';
import {
  created,
  failure,
  list,
  notFound,
  numberParam,
  ok,
  type Reply,
  type RestRequest,
  reading,
  writing,
} from './route.ts';

const CONTENTS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;

/** GitHub's maximum length of a comment, in characters. */
const MAX_BODY = 65_536;

/** Comments on the conversation tab, and reactions. */
export const COMMENT_ROUTES = [
  reading('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', 'issues', async (request, repository) => {
    const pull = pullParam(request, repository, 'issue_number');
    if (pull === null) return notFound();
    const rows = ofPull(request.world.state.issueComments, pull);
    return await list(request, rows, (row) => renderIssueComment(request.world, row));
  }),
  writing('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', 'issues', (request, repository) => {
    const { world, caller } = request;
    const pull = pullParam(request, repository, 'issue_number');
    if (pull === null) return notFound();
    const body = stringAt(request.body, 'body') ?? '';
    if (body.length > MAX_BODY)
      return failure(422, 'Validation Failed: body is too long (maximum is 65536 characters)');
    return created(renderIssueComment(world, addComment(world, pull, { login: loginOf(world, caller), body })));
  }),
  reading('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', 'issues', (request, repository) => {
    const comment = commentParam(request, repository);
    return comment === null ? notFound() : ok(renderIssueComment(request.world, comment));
  }),
  writing('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', 'issues', (request, repository) => {
    const { world, caller } = request;
    const comment = commentParam(request, repository);
    if (comment === null) return notFound();
    const login = loginOf(world, caller);
    if (!mayChange(repository, comment, login)) return failure(403, 'Resource not accessible by integration');
    const body = stringAt(request.body, 'body') ?? '';
    if (body.length > MAX_BODY)
      return failure(422, 'Validation Failed: body is too long (maximum is 65536 characters)');
    return ok(renderIssueComment(world, changeComment(world, comment, { login, body })));
  }),
  writing('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', 'issues', (request, repository) => {
    const comment = commentParam(request, repository);
    if (comment === null) return notFound();
    removeComment(request.world, comment, loginOf(request.world, request.caller));
    return { status: 204, body: null };
  }),
  reading('GET /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', 'issues', async (request) => {
    return await listReactions(request, 'issue-comment');
  }),
  writing('POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions', 'issues', (request, repository) => {
    return commentParam(request, repository) === null ? notFound() : react(request, 'issue-comment');
  }),
  reading('GET /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions', 'pull_requests', async (request) => {
    return await listReactions(request, 'review-comment');
  }),
  writing('POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions', 'pull_requests', (request) => {
    const isKnown = request.world.state.reviewComments.has(numberParam(request, 'comment_id'));
    return isKnown ? react(request, 'review-comment') : notFound();
  }),
] as const;

function commentParam(request: RestRequest, repository: Repository): IssueComment | null {
  const comment = request.world.state.issueComments.get(numberParam(request, 'comment_id'));
  return comment?.repositoryId === repository.id ? comment : null;
}

function mayChange(repository: Repository, comment: IssueComment, login: string): boolean {
  return (
    comment.authorLogin === login || login.endsWith('[bot]') || isAtLeast(permissionOf(repository, login), 'write')
  );
}

function parseContent(content: string | null): ReactionContent | null {
  return CONTENTS.find((known) => known === content) ?? null;
}

function react(request: RestRequest, subject: Reaction['subject']): Reply {
  const { world, caller } = request;
  const content = parseContent(stringAt(request.body, 'content'));
  if (content === null) return failure(422, 'Validation Failed');
  const subjectId = numberParam(request, 'comment_id');
  const { reaction, isNew } = addReaction(world, { subject, subjectId, content, login: loginOf(world, caller) });
  return { status: isNew ? 201 : 200, body: renderReaction(world, reaction) };
}

async function listReactions(request: RestRequest, subject: Reaction['subject']): Promise<Reply> {
  const { world } = request;
  const id = numberParam(request, 'comment_id');
  const rows = [...world.state.reactions.values()].filter((row) => row.subject === subject && row.subjectId === id);
  return await list(request, rows, (row) => renderReaction(world, row));
}
