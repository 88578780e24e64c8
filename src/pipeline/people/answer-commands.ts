import { lastDecisions } from '../../core/decide/last-decisions.ts';
import type { Decision } from '../../core/model/decision.ts';
import { GitHubError } from '../../core/model/errors.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { type Reply, renderReply } from '../../core/render/render-reply.ts';
import type { StoredCommand } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import type { Look } from '../look/take-snapshot.ts';

type AnswerDeps = Pick<Deps, 'clock' | 'github' | 'log' | 'redact' | 'store'>;

const SHOWN_DECISIONS = 10;
/** Lines of the transition log that those are looked for in: most of a long wait are repetitions. */
const READ_TRANSITIONS = 300;

/** What a command still has to be answered with; what a status or the reasons are made from is known after the look. */
export type Answer =
  | Extract<Reply, { readonly kind: 'help' | 'refused' | 'unknown' | 'not_available' | 'cannot' }>
  | { readonly kind: 'status' | 'why' }
  /** Carried out; a word is needed only where the pull request is paused. */
  | { readonly kind: 'retried' };

/** A command that was carried out (or refused) in this iteration and still has to be answered. */
export interface CarriedOut {
  readonly stored: StoredCommand;
  readonly answer: Answer;
}

/** What a reply is made from; `look` is null where nothing was read. */
export interface Situation {
  readonly workspace: Workspace | null;
  readonly look: (Look & { readonly decision: Decision }) | null;
}

/**
 * Answers each comment once and settles its commands: a reaction, and one reply that says why where a reaction does not. A
 * settled command is never answered again; a comment whose answer failed is, and the reply's marker keeps it from being posted
 * twice.
 */
export async function answerCommands(
  deps: AnswerDeps,
  carriedOut: readonly CarriedOut[],
  situation: Situation,
  signal: AbortSignal,
): Promise<void> {
  const { workspace } = situation;
  if (workspace === null) return;
  for (const answers of toComments(carriedOut, ({ stored }) => stored)) {
    await answerComment(deps, workspace, { answers, situation }, signal);
  }
}

async function answerComment(
  deps: AnswerDeps,
  workspace: Workspace,
  { answers, situation }: { readonly answers: readonly CarriedOut[]; readonly situation: Situation },
  signal: AbortSignal,
): Promise<void> {
  const replies = answers.flatMap(({ answer }) => toReply(deps, answer, situation) ?? []);
  const [first] = answers;
  if (first === undefined || replies.length === 0) return;
  const text = [...new Set(replies.map(renderReply))].join('\n');
  const { stored } = first;
  const marker = toMarker(stored);
  const body = `${marker}\n${deps.redact(text)}`;
  await unlessRefused(deps, () => deps.github.ensureComment(workspace, marker, body, signal));
  const reaction = answers.some(isRefused) ? 'confused' : '+1';
  await reactTo(deps, workspace, { stored, reaction }, signal);
  for (const answered of answers) {
    deps.store.settleCommand(answered.stored.id, isRefused(answered) ? 'refused' : 'done', deps.clock.now());
  }
}

function isRefused({ answer }: CarriedOut): boolean {
  return ['refused', 'unknown', 'not_available', 'cannot'].includes(answer.kind);
}

/** null: the reaction says it all. */
function toReply(deps: Pick<Deps, 'store'>, answer: Answer, situation: Situation): Reply | null {
  switch (answer.kind) {
    case 'status':
      return toStatus(deps, situation);
    case 'why':
      return toWhy(deps, situation);
    case 'retried':
      return toRetried(situation);
    default:
      return answer;
  }
}

function toStatus({ store }: Pick<Deps, 'store'>, { workspace, look }: Situation): Reply {
  return {
    kind: 'status',
    enablement: workspace?.enablement ?? 'never',
    pause: workspace?.pause ?? null,
    sessions: workspace === null ? [] : store.liveSessions(workspace.key),
    ...toSeen(look),
  };
}

function toSeen(
  look: Situation['look'],
): Pick<Extract<Reply, { kind: 'status' }>, 'headSha' | 'decision' | 'attempts' | 'mode' | 'isHeldByLabel'> {
  if (look === null) {
    return { headSha: null, decision: null, attempts: { used: 0, max: 0 }, mode: 'push', isHeldByLabel: false };
  }
  const { pullRequest, ratchet, policy } = look.snapshot;
  return {
    headSha: look.facts?.headSha ?? null,
    decision: look.decision,
    attempts: { used: ratchet.consecutiveAttempts, max: policy.maxAttempts },
    mode: policy.mode,
    isHeldByLabel: pullRequest?.holdLabel ?? false,
  };
}

function toWhy({ store }: Pick<Deps, 'store'>, { workspace }: Situation): Reply {
  const transitions = workspace === null ? [] : store.transitions(workspace.key, READ_TRANSITIONS);
  return { kind: 'why', steps: lastDecisions(transitions, SHOWN_DECISIONS) };
}

/** Who asks for a retry expects one: that a pause goes on is worth a word. */
function toRetried({ look, workspace }: Situation): Reply | null {
  if (look?.decision.code !== 'PAUSED') return null;
  return { kind: 'still_paused', isHeldByLabel: workspace?.pause === null };
}

/** Reacts to the comment that the command stands in; a button, a label and a Re-run have no place for that. */
export async function reactTo(
  deps: Pick<Deps, 'github' | 'log'>,
  workspace: Workspace,
  to: { readonly stored: StoredCommand; readonly reaction: 'eyes' | '+1' | 'confused' },
  signal: AbortSignal,
): Promise<void> {
  const { kind, id } = to.stored.comment;
  if (kind === 'check_run' || kind === 'rerun' || kind === 'label') return;
  await unlessRefused(deps, () => deps.github.addReaction(workspace.repository, { kind, id }, to.reaction, signal));
}

/** What GitHub refuses for good (a locked conversation) must not keep the loop from its work, look after look. */
async function unlessRefused(deps: Pick<Deps, 'log'>, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof GitHubError) || error.retry !== 'never') throw error;
    deps.log.warn({ error }, 'a comment could not be answered');
  }
}

/** Items by the comment that their command stands in, in the order of their first. */
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

/** Invisible on GitHub; with our own authorship it tells that a comment was answered before. */
function toMarker(stored: StoredCommand): string {
  const { kind, id } = stored.comment;
  const isComment = kind === 'issue_comment' || kind === 'review_comment';
  // A comment is answered once; a button each time that it is pressed.
  const press = isComment ? '' : `:${String(stored.id)}`;
  return `<!-- ratchet:reply:${kind}:${String(id)}${press} -->`;
}
