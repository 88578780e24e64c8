import { isSameLabel } from '../../core/commands/labels.ts';
import type { Reaction } from '../../core/model/event.ts';
import type { PullRequestKey } from '../../core/model/ids.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { StoredCommand } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import { findPausedBeside, readBeside } from '../look/read-beside.ts';
import { readFacts } from '../look/read-facts.ts';
import { findQualityObstacle, retellQuality } from '../quality/quality-commands.ts';
import { forgetReport } from '../tell/report.ts';
import { beginAccept, findAccept } from './accept-command.ts';
import { findAnswerObstacle } from './answer-question.ts';
import { applyCommand } from './apply-command.ts';
import type { OrderProgress } from './order-progress.ts';
import { readAuthorization } from './read-authorization.ts';
import { readOnce } from './read-once.ts';
import {
  type CarriedOut,
  type OwedReply,
  payReactions,
  reactTo,
  settleAnswered,
  toComments,
} from './reply-to-commands.ts';
import { beginUndo, findUndo } from './undo-command.ts';

type CommandDeps = Pick<Deps, 'clock' | 'fixupQueue' | 'github' | 'log' | 'newId' | 'running' | 'settings' | 'store'>;

/** Maximum number of answered comments per look. Each needs writes one second apart, and other pull requests wait. */
const MAX_COMMENTS = 10;
/** Maximum number of answered comments per hour, account and pull request. Further ones are carried out silently. */
const MAX_ANSWERED = 30;
const HOUR_MS = 60 * 60_000;
/** A delivery that was lost may come hours later. What people said since counts. */
const OVERTAKEN = 'a newer command was carried out before this one arrived';

/** Commands that start a run of their own, and are answered when it has ended. */
const ORDERS: Readonly<
  Partial<Record<StoredCommand['command']['name'], { find: typeof findUndo; begin: typeof beginUndo }>>
> = {
  undo: { find: findUndo, begin: beginUndo },
  accept: { find: findAccept, begin: beginAccept },
};

/**
 * Carries out commands since the last look, oldest first: react with eyes, read the permission live, apply the effect to the
 * database. An effect is settled at once, so that a later failure does not repeat it; replies follow after the look. A command
 * whose author cannot be read stays pending. If there are too many comments, the rest is left for the next look, which is woken
 * here. An account with too many comments gets no more answers, so that neither a flood nor a bot that answers our replies causes
 * endless writes (traps 53, 54).
 */
export async function carryOutCommands(
  deps: CommandDeps,
  key: PullRequestKey,
  signal: AbortSignal,
): Promise<readonly CarriedOut[]> {
  const carriedOut: CarriedOut[] = [];
  const look = { ...deps, github: { ...deps.github, ...readOnce(deps.github) } };
  const isUnanswered = createUnanswered(deps, key);
  const known = deps.store.workspace(key);
  if (known !== null) await payReactions(deps, known, signal);
  let answeredCount = 0;
  for (const comment of toComments(deps.store.pendingCommands(key), (stored) => stored)) {
    const isQuiet = comment.some(isSilent) || comment.some(isUnanswered);
    if (!isQuiet) answeredCount += 1;
    if (answeredCount > MAX_COMMENTS) {
      deps.store.markWakeup(EVALUATE_QUEUE, key, null);
      break;
    }
    for (const stored of comment) {
      const workspace = deps.store.workspace(key);
      if (workspace === null) continue;
      if (isQuiet) await carryOutSilently(look, workspace, stored, signal);
      else carriedOut.push(...(await carryOut(look, workspace, stored, signal)));
    }
  }
  return carriedOut;
}

/** Returns a function that counts comments per account and says whether the limit of answers is exceeded. */
function createUnanswered({ clock, store }: CommandDeps, key: PullRequestKey): (stored: StoredCommand) => boolean {
  const shares = new Map<number, { readonly before: number; readonly comments: Set<string> }>();
  const since = clock.now() - HOUR_MS;
  return ({ author, comment }) => {
    const share = shares.get(author.id) ?? {
      before: store.settledComments(key, author.id, since),
      comments: new Set<string>(),
    };
    shares.set(author.id, share);
    share.comments.add(`${comment.kind} ${String(comment.id)}`);
    return share.before + share.comments.size > MAX_ANSWERED;
  };
}

/** Labels and re-runs have no place for an answer, and people also use them for other purposes. */
function isSilent({ comment }: StoredCommand): boolean {
  return comment.kind === 'label' || comment.kind === 'rerun';
}

/** Returns the answers to give after the look. */
async function carryOut(
  deps: CommandDeps,
  workspace: Workspace,
  stored: StoredCommand,
  signal: AbortSignal,
): Promise<readonly CarriedOut[]> {
  const { command } = stored;
  const order = ORDERS[command.name];
  const progress = order?.find(deps, workspace, stored) ?? null;
  if (progress !== null && progress.kind !== 'new') return settleOrder(deps, workspace, { stored, progress }, signal);
  await reactTo(deps, workspace, { comment: stored.comment, reaction: 'eyes' }, signal);
  const authorization = await readAuthorization(deps, workspace, stored, signal);
  if (authorization.kind === 'refused') {
    return [
      { stored, owed: { kind: 'refused', name: 'args' in command ? command.name : null, why: authorization.why } },
    ];
  }
  const owed = toOwedReply(deps, workspace, stored);
  if (owed !== null) return [{ stored, owed }];
  if (order !== undefined) {
    const begun = await order.begin(deps, workspace, stored, signal);
    return settleOrder(deps, workspace, { stored, progress: begun }, signal);
  }
  carryOutNow(deps, workspace, stored, '+1');
  await payReactions(deps, workspace, signal);
  return command.name === 'retry' ? [{ stored, owed: { kind: 'retried' } }] : [];
}

/** Settles an order whose run pushed, and returns the answer of one that did not. One that works stays pending. */
async function settleOrder(
  deps: CommandDeps,
  workspace: Workspace,
  { stored, progress }: { readonly stored: StoredCommand; readonly progress: OrderProgress },
  signal: AbortSignal,
): Promise<readonly CarriedOut[]> {
  if (progress.kind === 'refused') return [{ stored, owed: progress.reply }];
  if (progress.kind === 'done') {
    settleAnswered(deps, stored, 'done', '+1');
    await payReactions(deps, workspace, signal);
  }
  return [];
}

/** The answer of an allowed command without an effect; null if it has an effect. */
function toOwedReply(deps: Pick<Deps, 'store'>, workspace: Workspace, stored: StoredCommand): OwedReply | null {
  const { command } = stored;
  if (command.name === 'unknown') return { kind: 'unknown', written: command.written, nearest: command.nearest };
  if (command.name === 'unread') return { kind: 'unread', line: command.line, why: command.why };
  if (command.name === 'help' || command.name === 'status' || command.name === 'why') return { kind: command.name };
  if (deps.store.isOvertaken(stored)) return { kind: 'cannot', name: command.name, why: OVERTAKEN };
  const why = findQualityObstacle(deps, workspace, command) ?? findAnswerObstacle(deps, workspace, stored);
  if (why !== null) return { kind: 'cannot', name: command.name, why };
  return isApplicable(deps, workspace, stored) ? null : { kind: 'status' };
}

/** If a command has nothing to change, it is answered with the status instead. */
function isApplicable({ store }: Pick<Deps, 'store'>, workspace: Workspace, stored: StoredCommand): boolean {
  switch (stored.command.name) {
    case 'retry':
    case 'pause':
      return workspace.enablement === 'enabled';
    case 'resume':
      return workspace.pause !== null || findPausedBeside(readBeside({ store }, workspace.key)) !== null;
    case 'stop':
      return store.liveOnBranch(workspace.key).some(({ fixup }) => fixup !== null);
    case 'check':
      // Re-running all our check runs of a head does not ask for engines if none ever ran.
      return stored.comment.kind !== 'rerun' || store.qualityRuns(workspace.key, 1).length > 0;
    default:
      return true;
  }
}

function carryOutNow(deps: CommandDeps, workspace: Workspace, stored: StoredCommand, reaction: Reaction | null): void {
  applyCommand(deps, workspace, stored);
  settleAnswered(deps, stored, 'done', reaction);
}

/** Without permission, or without anything to change, the command only appears in the log. */
async function carryOutSilently(
  deps: CommandDeps,
  workspace: Workspace,
  stored: StoredCommand,
  signal: AbortSignal,
): Promise<void> {
  if (stored.comment.kind === 'label' && !(await isEnablingLabel(deps, workspace, stored, signal))) {
    settleIdle(deps, stored, 'done', 'the label is not the one that enables');
    return;
  }
  const authorization = await readAuthorization(deps, workspace, stored, signal);
  const isIdle = authorization.kind === 'refused' || toOwedReply(deps, workspace, stored) !== null;
  if (stored.comment.kind === 'rerun') tellAnew(deps, workspace, { command: stored.command, isIdle });
  if (authorization.kind === 'refused') settleIdle(deps, stored, 'refused', authorization.why);
  else if (isIdle) settleIdle(deps, stored, 'done', 'there is nothing to change');
  else if (stored.command.name in ORDERS) await orderSilently(deps, workspace, stored, signal);
  else carryOutNow(deps, workspace, stored, null);
}

async function orderSilently(
  deps: CommandDeps,
  workspace: Workspace,
  stored: StoredCommand,
  signal: AbortSignal,
): Promise<void> {
  const order = ORDERS[stored.command.name];
  const found = order?.find(deps, workspace, stored);
  const progress = found?.kind === 'new' ? await order?.begin(deps, workspace, stored, signal) : found;
  if (progress?.kind === 'refused') settleIdle(deps, stored, 'refused', 'it pushes nothing');
  else settleAnswered(deps, stored, 'done', null);
}

/** GitHub waits for a result, even if the author has no permission. A new run of the engines is one. */
function tellAnew(
  deps: Pick<Deps, 'store'>,
  workspace: Workspace,
  { command, isIdle }: { readonly command: StoredCommand['command']; readonly isIdle: boolean },
): void {
  if (command.name === 'retry') forgetReport(deps, workspace);
  if (command.name === 'check' && isIdle) retellQuality(deps, workspace);
}

function settleIdle(
  { clock, log, store }: Pick<Deps, 'clock' | 'log' | 'store'>,
  stored: StoredCommand,
  outcome: 'done' | 'refused',
  why: string,
): void {
  const { key, command, author, comment } = stored;
  store.settleCommand(stored.id, outcome, clock.now());
  log.info({ key, command: command.name, authorId: author.id, place: comment.kind, why }, 'command changed nothing');
}

/** Whether the policy of the base names this label for enabling Ratchet. */
async function isEnablingLabel(
  deps: Pick<Deps, 'github' | 'settings'>,
  workspace: Workspace,
  { command }: StoredCommand,
  signal: AbortSignal,
): Promise<boolean> {
  const [label] = 'args' in command ? command.args : [];
  const facts = await readFacts(deps, workspace, signal);
  if (facts === null || label === undefined) return false;
  const { policy, problems } = facts.taken;
  return problems.length === 0 && isSameLabel(label, policy.labels.enable);
}
