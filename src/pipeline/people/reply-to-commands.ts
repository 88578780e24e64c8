import { lastDecisions } from '../../core/decide/last-decisions.ts';
import type { Decision } from '../../core/model/decision.ts';
import { GitHubError } from '../../core/model/errors.ts';
import type { CommentKind, Reaction } from '../../core/model/event.ts';
import { toRunId } from '../../core/model/ids.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { FailedLook } from '../../core/render/render-failed-look.ts';
import { type Reply, renderReply } from '../../core/render/render-reply.ts';
import type { OwedReaction, StoredCommand } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import type { Look } from '../look/take-snapshot.ts';

type ReplyDeps = Pick<Deps, 'clock' | 'github' | 'log' | 'redact' | 'running' | 'store'>;

const SHOWN_DECISIONS = 10;
/** Transition log entries to search for them. During a long wait most entries are repetitions. */
const READ_TRANSITIONS = 300;

/** The reply that a command still needs. The content of `status` and `why` is known only after the look. */
export type OwedReply =
  | Extract<Reply, { readonly kind: 'help' | 'refused' | 'unknown' | 'unread' | 'cannot' | 'not_undone' }>
  | { readonly kind: 'status' | 'why' }
  /** Carried out. Needs a reply only if the pull request is still paused. */
  | { readonly kind: 'retried' };

/** A command that this iteration carried out or refused and that still needs a reply. */
export interface CarriedOut {
  readonly stored: StoredCommand;
  readonly owed: OwedReply;
}

/** Input of a reply; `look` is null if GitHub was not read. */
export interface Situation {
  readonly workspace: Workspace | null;
  readonly look: (Look & { readonly decision: Decision }) | null;
  /** Why there is no look. */
  readonly failed?: FailedLook;
}

/**
 * Answers each comment once and settles its commands: a reaction, and one reply if a reaction does not say enough. If answering
 * fails, it is tried again; the marker in the reply prevents a duplicate.
 */
export async function replyToCommands(
  deps: ReplyDeps,
  carriedOut: readonly CarriedOut[],
  situation: Situation,
  signal: AbortSignal,
): Promise<void> {
  const { workspace } = situation;
  if (workspace === null) return;
  for (const answers of toComments(carriedOut, ({ stored }) => stored)) {
    await replyToComment(deps, workspace, { answers, situation }, signal);
  }
}

async function replyToComment(
  deps: ReplyDeps,
  workspace: Workspace,
  { answers, situation }: { readonly answers: readonly CarriedOut[]; readonly situation: Situation },
  signal: AbortSignal,
): Promise<void> {
  const replies = answers.flatMap(({ owed }) => toReply(deps, owed, situation) ?? []);
  const [first] = answers;
  if (first === undefined || replies.length === 0) return;
  const text = [...new Set(replies.map(renderReply))].join('\n');
  const { stored } = first;
  const marker = toMarker(stored);
  const body = `${marker}\n${deps.redact(text)}`;
  await unlessRefused(deps, () => deps.github.ensureComment(workspace, marker, body, signal));
  const reaction = answers.some(isRefused) ? 'confused' : '+1';
  for (const answered of answers) {
    const outcome = isRefused(answered) ? 'refused' : 'done';
    settleAnswered(deps, answered.stored, outcome, answered === first ? reaction : null);
  }
  await payReactions(deps, workspace, signal);
}

/** Settles a command together with the reaction that its comment is owed, so that a crash cannot lose the reaction. */
export function settleAnswered(
  { clock, store }: Pick<Deps, 'clock' | 'store'>,
  stored: StoredCommand,
  outcome: 'done' | 'refused',
  reaction: Reaction | null,
): void {
  store.settleCommand(stored.id, outcome, clock.now(), toReactable(stored) === null ? null : reaction);
}

/** Makes the reactions that are owed, also those that a crash has left. GitHub keeps one of a kind, so repeating one is harmless. */
export async function payReactions(
  deps: Pick<Deps, 'github' | 'log' | 'store'>,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<void> {
  for (const owed of deps.store.owedReactions(workspace.key)) {
    await reactTo(deps, workspace, owed, signal);
    deps.store.settleReaction(owed.id);
  }
}

function isRefused({ owed }: CarriedOut): boolean {
  return ['refused', 'unknown', 'unread', 'cannot', 'not_undone'].includes(owed.kind);
}

/** null: the reaction is enough. */
function toReply(deps: Pick<Deps, 'running' | 'store'>, owed: OwedReply, situation: Situation): Reply | null {
  switch (owed.kind) {
    case 'status':
      return toStatus(deps, situation);
    case 'why':
      return toWhy(deps, situation);
    case 'retried':
      return toRetried(situation);
    default:
      return owed;
  }
}

function toStatus({ running, store }: Pick<Deps, 'running' | 'store'>, { workspace, look, failed }: Situation): Reply {
  if (failed !== undefined) return { kind: 'failed_look', failed };
  if (workspace === null) return { kind: 'status', enablement: 'never', story: null, pause: null, sessions: [] };
  const sessions = store.liveOnBranch(workspace.key);
  const [waiting = null] = sessions.flatMap(({ id }) => running.waitingOf(toRunId(id)) ?? []);
  const [progress = null] = sessions.flatMap(({ id }) => running.progressOf(toRunId(id)) ?? []);
  return {
    kind: 'status',
    enablement: workspace.enablement,
    story: look === null ? null : { ...look, waiting, progress },
    pause: workspace.pause,
    sessions,
  };
}

function toWhy({ store }: Pick<Deps, 'store'>, { workspace }: Situation): Reply {
  const transitions = workspace === null ? [] : store.transitions(workspace.key, READ_TRANSITIONS);
  return { kind: 'why', decisions: lastDecisions(transitions, SHOWN_DECISIONS) };
}

/** A retry while paused does nothing yet, so it needs a reply. */
function toRetried({ look, workspace }: Situation): Reply | null {
  if (look?.decision.code !== 'PAUSED') return null;
  return { kind: 'still_paused', isHeldByLabel: workspace?.pause === null };
}

/** Reacts to the comment with the command. */
export async function reactTo(
  deps: Pick<Deps, 'github' | 'log'>,
  workspace: Workspace,
  { comment, reaction }: Pick<OwedReaction, 'comment' | 'reaction'>,
  signal: AbortSignal,
): Promise<void> {
  const place = toReactable({ comment });
  if (place === null) return;
  await unlessRefused(deps, () => deps.github.addReaction(workspace.repository, place, reaction, signal));
}

/** null: buttons, labels and re-runs have no place for a reaction. */
function toReactable({ comment: { kind, id } }: Pick<StoredCommand, 'comment'>): {
  readonly kind: CommentKind;
  readonly id: number;
} | null {
  return kind === 'check_run' || kind === 'rerun' || kind === 'label' ? null : { kind, id };
}

/** A permanent refusal (a locked conversation) must not stop the loop on every look. */
async function unlessRefused(deps: Pick<Deps, 'log'>, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof GitHubError) || error.retry !== 'never') throw error;
    deps.log.warn({ error }, 'a comment could not be answered');
  }
}

/** Groups items by the comment of their command, in order of first occurrence. */
export function toComments<Item>(
  items: readonly Item[],
  toStored: (item: Item) => StoredCommand,
): readonly (readonly Item[])[] {
  const comments = new Map<string, Item[]>();
  for (const item of items) {
    const marker = toMarker(toStored(item));
    const known = comments.get(marker);
    if (known === undefined) comments.set(marker, [item]);
    else known.push(item);
  }
  return [...comments.values()];
}

/** Invisible on GitHub. A comment of ours with this marker shows that the command was answered. */
function toMarker(stored: StoredCommand): string {
  const { kind, id } = stored.comment;
  const isComment = kind === 'issue_comment' || kind === 'review_comment';
  // A comment is answered once, a button each time it is pressed.
  const press = isComment ? '' : `:${String(stored.id)}`;
  return `<!-- ratchet:reply:${kind}:${String(id)}${press} -->`;
}
