import { type Authorization, authorize } from '../core/commands/authorize.ts';
import { findCommand } from '../core/commands/command-names.ts';
import type { Decision } from '../core/model/decision.ts';
import { assertNever, GitHubError } from '../core/model/errors.ts';
import type { PullRequestKey } from '../core/model/ids.ts';
import type { Workspace } from '../core/model/workspace.ts';
import { type Reply, renderReply } from '../core/render/render-reply.ts';
import type { StoredCommand } from '../ports/store.ts';
import { applyCommand } from './apply-command.ts';
import { type Deps, EVALUATE_QUEUE } from './deps.ts';
import type { Look } from './take-snapshot.ts';

type CommandDeps = Pick<Deps, 'clock' | 'github' | 'log' | 'store'>;

/** Comments that one look carries out and answers: each costs writes a second apart, and others wait for theirs. */
const MAX_COMMENTS = 10;
const SHOWN_TRANSITIONS = 10;

/** A command that was carried out (or refused) in this iteration and still has to be answered. */
export interface CarriedOut {
  readonly stored: StoredCommand;
  readonly answer:
    | Exclude<Reply, { readonly kind: 'status' } | { readonly kind: 'why' }>
    | { readonly kind: 'status' }
    | { readonly kind: 'why' };
}

/**
 * Carries out what people asked since the last look, oldest first: seen (eyes), permission read live, effect in the database.
 * An effect is settled at once, so that nothing that fails later has it made again; the replies follow when the look is done.
 * A command whose author cannot be looked up stays pending and is tried again. Of very many comments the rest is left to the
 * next look, which is woken here.
 */
export async function carryOutCommands(
  deps: CommandDeps,
  key: PullRequestKey,
  signal: AbortSignal,
): Promise<readonly CarriedOut[]> {
  const carriedOut: CarriedOut[] = [];
  const comments = toComments(deps.store.pendingCommands(key), (stored) => stored);
  if (comments.length > MAX_COMMENTS) deps.store.markWakeup(EVALUATE_QUEUE, key, null);
  for (const stored of comments.slice(0, MAX_COMMENTS).flat()) {
    const workspace = deps.store.workspace(key);
    if (workspace === null) continue;
    await react(deps, workspace, { stored, reaction: 'eyes' }, signal);
    const answer = await carryOut(deps, workspace, stored, signal);
    if (answer.kind === 'done') await react(deps, workspace, { stored, reaction: '+1' }, signal);
    else carriedOut.push({ stored, answer });
  }
  return carriedOut;
}

/** Items by the comment that their command stands in, in the order of their first. */
function toComments<Item>(
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

async function react(
  deps: CommandDeps,
  workspace: Workspace,
  to: { readonly stored: StoredCommand; readonly reaction: 'eyes' | '+1' | 'confused' },
  signal: AbortSignal,
): Promise<void> {
  const { kind, id } = to.stored.comment;
  // A button has no place for a reaction.
  if (kind === 'check_run') return;
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

async function carryOut(
  deps: CommandDeps,
  workspace: Workspace,
  stored: StoredCommand,
  signal: AbortSignal,
): Promise<CarriedOut['answer'] | { readonly kind: 'done' }> {
  const authorization = await readAuthorization(deps, workspace, stored, signal);
  const { command } = stored;
  if (authorization.kind === 'refused') return { kind: 'refused', name: command.name, why: authorization.why };
  if (command.name === 'unknown') return { kind: 'unknown', written: command.written, nearest: command.nearest };
  if (findCommand(command.name)?.isAvailable !== true) return { kind: 'not_available', name: command.name };
  if (command.name === 'help' || command.name === 'status' || command.name === 'why') return toAnswer(command.name);
  if (command.name === 'retry' && workspace.enablement !== 'enabled') return { kind: 'status' };
  applyCommand(deps, workspace, stored);
  deps.store.settleCommand(stored.id, 'done', deps.clock.now());
  return { kind: 'done' };
}

function toAnswer(name: 'help' | 'status' | 'why'): CarriedOut['answer'] {
  switch (name) {
    case 'help':
      return { kind: 'help' };
    case 'status':
      return { kind: 'status' };
    case 'why':
      return { kind: 'why' };
    default:
      return assertNever(name);
  }
}

/** Live, by login, and only for the account that wrote the comment: a login can be renamed and taken over (T7, T9). */
async function readAuthorization(
  deps: CommandDeps,
  workspace: Workspace,
  stored: StoredCommand,
  signal: AbortSignal,
): Promise<Authorization> {
  const { author, command } = stored;
  const { userId, permission } = await deps.github.readPermission(workspace.repository, author.login, signal);
  const isSameAccount = userId === author.id;
  return authorize(command, { actor: author, permission: isSameAccount ? permission : 'none', isPrAuthor: false });
}

/** What a status reply is made from; `look` is null where nothing was read. */
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
  deps: CommandDeps,
  carriedOut: readonly CarriedOut[],
  situation: Situation,
  signal: AbortSignal,
): Promise<void> {
  const { workspace } = situation;
  if (workspace === null) return;
  for (const answers of toComments(carriedOut, ({ stored }) => stored)) {
    const [first] = answers;
    if (first === undefined) continue;
    const { stored } = first;
    const body = [...new Set(answers.map(({ answer }) => toReplyBody(deps, answer, situation)))].join('\n');
    await unlessRefused(deps, () => deps.github.ensureComment(workspace, toMarker(stored), body, signal));
    const reaction = answers.some(isRefused) ? 'confused' : '+1';
    await react(deps, workspace, { stored, reaction }, signal);
    for (const answered of answers) {
      deps.store.settleCommand(answered.stored.id, isRefused(answered) ? 'refused' : 'done', deps.clock.now());
    }
  }
}

function isRefused({ answer }: CarriedOut): boolean {
  return answer.kind === 'refused' || answer.kind === 'unknown' || answer.kind === 'not_available';
}

/** Invisible on GitHub; with our own authorship it tells that a comment was answered before. */
function toMarker(stored: StoredCommand): string {
  const { kind, id } = stored.comment;
  // A comment is answered once; a button each time that it is pressed.
  const press = kind === 'check_run' ? `:${String(stored.id)}` : '';
  return `<!-- ratchet:reply:${kind}:${String(id)}${press} -->`;
}

function toReplyBody(deps: Pick<Deps, 'store'>, answer: CarriedOut['answer'], situation: Situation): string {
  if (answer.kind === 'status') return renderReply(toStatus(situation));
  if (answer.kind !== 'why') return renderReply(answer);
  const { workspace } = situation;
  const transitions = workspace === null ? [] : deps.store.transitions(workspace.key, SHOWN_TRANSITIONS);
  return renderReply({ kind: 'why', transitions });
}

function toStatus({ workspace, look }: Situation): Reply {
  const enablement = workspace === null ? 'never' : workspace.enablement;
  if (look === null)
    return { kind: 'status', enablement, headSha: null, decision: null, attempts: { used: 0, max: 0 } };
  const { ratchet, policy } = look.snapshot;
  return {
    kind: 'status',
    enablement,
    headSha: look.facts?.headSha ?? null,
    decision: look.decision,
    attempts: { used: ratchet.consecutiveAttempts, max: policy.maxAttempts },
  };
}
