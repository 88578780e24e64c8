import { z } from 'zod';
import { GitHubError } from '../../core/model/errors.ts';
import type { CommentKind } from '../../core/model/event.ts';
import type { PullRequestRef, RepositoryRef } from '../../core/model/pull-request.ts';
import { parseResponse } from './parse-response.ts';
import { findOrCreate, type RepositoryCalls } from './repository-calls.ts';

const Comment = z.object({
  id: z.number().int(),
  body: z.string().nullish(),
  user: z.object({ login: z.string(), type: z.string() }).nullable(),
  performed_via_github_app: z.object({ id: z.number().int() }).nullish(),
});
type Comment = z.infer<typeof Comment>;

/** Dependencies of the comment operations. */
export interface CommentDeps {
  readonly calls: RepositoryCalls;
  readonly appId: number;
  /** Returns the App's slug: its comments are by `<slug>[bot]`. Called only if a comment does not name its App. */
  readonly readSlug: (signal: AbortSignal) => Promise<string>;
  readonly waitBefore: (tries: number) => Promise<void>;
}

/** Posts `body` unless the App already has a comment with `marker`. Ignores markers in other people's comments. */
export async function ensureComment(
  deps: CommentDeps,
  ref: PullRequestRef,
  text: { readonly marker: string; readonly body: string },
  signal: AbortSignal,
): Promise<void> {
  const { repository, number } = ref;
  await findOrCreate(
    async () => (await findOwnComment(deps, ref, text.marker, signal))?.id ?? null,
    async () => {
      const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
      const parameters = { issue_number: number, body: text.body };
      const response = await deps.calls.call({ repository, route, parameters, access: 'write', signal });
      return parseResponse(Comment, response.data, 'comment').id;
    },
    deps,
  );
}

/** Creates or edits the App's comment with `marker`. Makes no write if the comment already says `body`. */
export async function upsertComment(
  deps: CommentDeps,
  ref: PullRequestRef,
  text: { readonly marker: string; readonly body: string },
  signal: AbortSignal,
): Promise<void> {
  const known = await findOwnComment(deps, ref, text.marker, signal);
  if (known === null) await ensureComment(deps, ref, text, signal);
  else await rewrite(deps, ref.repository, { known, body: text.body }, signal);
}

/** Like `upsertComment`, but creates no comment: a comment that a person deleted stays deleted. */
export async function editComment(
  deps: CommentDeps,
  ref: PullRequestRef,
  text: { readonly marker: string; readonly body: string },
  signal: AbortSignal,
): Promise<void> {
  const known = await findOwnComment(deps, ref, text.marker, signal);
  if (known !== null) await rewrite(deps, ref.repository, { known, body: text.body }, signal);
}

async function rewrite(
  { calls }: CommentDeps,
  repository: RepositoryRef,
  { known, body }: { readonly known: Comment; readonly body: string },
  signal: AbortSignal,
): Promise<void> {
  if (toPlainBody(known.body ?? '') === toPlainBody(body)) return;
  const route = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
  const parameters = { comment_id: known.id, body };
  await calls.call({ repository, route, parameters, access: 'write', isIdempotent: true, signal });
}

/** GitHub may change line endings. */
function toPlainBody(body: string): string {
  return body.replaceAll('\r\n', '\n').trim();
}

const reactionRoutes = {
  issue_comment: 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  review_comment: 'POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions',
} as const satisfies Record<CommentKind, string>;

/** Adds a reaction. Idempotent. A 404 is no error: the comment is gone, or the server lacks the route. */
export async function addReaction(
  calls: RepositoryCalls,
  to: {
    readonly repository: RepositoryRef;
    readonly kind: CommentKind;
    readonly id: number;
    readonly reaction: string;
  },
  signal: AbortSignal,
): Promise<void> {
  const { repository, kind, id, reaction } = to;
  const parameters = { comment_id: id, content: reaction };
  try {
    await calls.call({
      repository,
      route: reactionRoutes[kind],
      parameters,
      access: 'write',
      isIdempotent: true,
      signal,
    });
  } catch (error) {
    if (error instanceof GitHubError && error.code === 'NOT_FOUND') return;
    throw error;
  }
}

async function findOwnComment(
  { calls, appId, readSlug }: CommentDeps,
  { repository, number }: PullRequestRef,
  marker: string,
  signal: AbortSignal,
): Promise<Comment | null> {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
  const marked: Comment[] = [];
  await calls.list({ repository, route, parameters: { issue_number: number }, access: 'write', signal }, (page) => {
    const comments = parseResponse(z.array(Comment), page, 'comments');
    marked.push(...comments.filter(({ body }) => body?.includes(marker) === true));
    return comments;
  });
  const ours = marked.find((comment) => comment.performed_via_github_app?.id === appId);
  if (ours !== undefined) return ours;
  const unclear = marked.filter((comment) => comment.user?.type === 'Bot' && !comment.performed_via_github_app);
  if (unclear.length === 0) return null;
  const login = `${await readSlug(signal)}[bot]`;
  return unclear.find(({ user }) => user?.login === login) ?? null;
}
