import type { Authorization } from '../commands/authorize.ts';
import { COMMANDS, type CommandSpec } from '../commands/command-names.ts';
import type { LoggedDecision } from '../decide/last-decisions.ts';
import type { AgentProgress } from '../model/agent-progress.ts';
import type { AgentStanding } from '../model/agent-standing.ts';
import type { Decision } from '../model/decision.ts';
import { assertNever } from '../model/errors.ts';
import type { CommandName } from '../model/event.ts';
import type { Sha } from '../model/ids.ts';
import type { Mode } from '../model/policy.ts';
import type { Session } from '../model/session.ts';
import type { WaitForGitHub } from '../model/wait-for-github.ts';
import type { Workspace } from '../model/workspace.ts';
import { toFence, toInlineCode, toPlainText } from '../text/escape.ts';
import { toLines, toUtcMinute } from '../text/words.ts';
import { toAgentLines } from './agent-lines.ts';
import { toBesideLines } from './branch-standing.ts';
import { DECISION_WORDS, findStopWords } from './decision-words.ts';
import { MAX_REASON_LENGTH } from './limits.ts';
import { toProgressText } from './progress-words.ts';
import { type FailedLook, renderFailedStatus } from './render-failed-look.ts';
import { toWaitingText, WAITING_TITLE } from './waiting-words.ts';

/** The answer to a command, if a reaction is not enough. */
export type Reply =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'status';
      readonly number: number;
      readonly enablement: Workspace['enablement'];
      readonly headSha: Sha | null;
      /** null: nothing was decided, because Ratchet was never enabled here. */
      readonly decision: Decision | null;
      /** Why Ratchet stopped, if it did. */
      readonly stop: Workspace['stop'];
      readonly attempts: { readonly used: number; readonly max: number };
      readonly mode: Mode;
      readonly pause: Workspace['pause'];
      /** The pull request has the hold label. */
      readonly isHeldByLabel: boolean;
      /** Numbers of the other open pull requests with the same head branch. */
      readonly beside: readonly number[];
      /** Whether an agent may be launched; null: nothing was looked at. */
      readonly agent: AgentStanding | null;
      /** What the agent of one of the sessions does; null or absent: none runs. */
      readonly progress?: AgentProgress | null;
      /** Sessions on the head branch that have not ended. */
      readonly sessions: readonly Pick<Session, 'kind' | 'status' | 'label' | 'startedAt'>[];
      /** Why one of them waits for GitHub; null or absent: none does. */
      readonly waiting?: WaitForGitHub | null;
    }
  /** The look for the reply failed. */
  | { readonly kind: 'failed_look'; readonly failed: FailedLook }
  | {
      readonly kind: 'refused';
      /** null: the line named none. */
      readonly name: CommandName | null;
      readonly why: Extract<Authorization, { kind: 'refused' }>['why'];
    }
  | {
      readonly kind: 'why';
      /** Newest first. */
      readonly decisions: readonly LoggedDecision[];
    }
  /** Retry of a paused pull request: the budget is reset, but nothing is launched. */
  | { readonly kind: 'still_paused'; readonly isHeldByLabel: boolean }
  /** The command cannot be carried out. `why` may contain words of the comment. */
  | { readonly kind: 'cannot'; readonly name: CommandName; readonly why: string }
  /** The last fixup was not undone. `byHand`: commands with which a person can do it. */
  | { readonly kind: 'not_undone'; readonly why: string; readonly byHand: readonly string[] }
  | { readonly kind: 'unknown'; readonly written: string; readonly nearest: CommandName | null }
  /** A line that addresses Ratchet and is not carried out. `line` and `why` hold words of the comment. */
  | { readonly kind: 'unread'; readonly line: string; readonly why: string };

const AUDIENCES: Readonly<Record<CommandSpec['audience'], string>> = {
  anyone: '',
  author: ' (needs write permission, or to be the author of the pull request)',
  writers: ' (needs write permission)',
};

const MAX_WRITTEN_LENGTH = 40;
const MAX_LINE_LENGTH = 120;
const MAX_LABEL_LENGTH = 60;
const MAX_SESSIONS = 5;

/**
 * The comment that answers a command: short, with the reason. No line starts with a command, so it cannot be mistaken
 * for one (trap 53).
 */
export function renderReply(reply: Reply): string {
  switch (reply.kind) {
    case 'help':
      return renderHelp();
    case 'status':
      return renderStatus(reply);
    case 'why':
      return renderWhy(reply);
    case 'refused':
      return renderRefusal(reply);
    case 'unknown':
      return renderUnknown(reply);
    case 'unread':
      return `${toInlineCode(reply.line.slice(0, MAX_LINE_LENGTH))} was not carried out: ${toPlainText(reply.why, MAX_REASON_LENGTH)}.\n`;
    case 'cannot':
      return `The command ${toCommand(reply.name)} was not carried out: ${toPlainText(reply.why, MAX_REASON_LENGTH)}.\n`;
    case 'not_undone':
      return renderNotUndone(reply);
    case 'still_paused':
      return renderStillPaused(reply);
    case 'failed_look':
      return renderFailedStatus(reply.failed);
    default:
      return assertNever(reply);
  }
}

function toCommand(name: CommandName): string {
  return toInlineCode(`/ratchet ${name}`);
}

function renderHelp(): string {
  const lines = COMMANDS.map(({ name, summary, audience }) => {
    return `- ${toCommand(name)}: ${summary}${AUDIENCES[audience]}`;
  });
  return ['Commands, at the start of a line of a comment:', '', ...lines, ''].join('\n');
}

function renderStatus(status: Extract<Reply, { kind: 'status' }>): string {
  const { enablement, headSha, decision, stop, attempts, waiting = null } = status;
  if (enablement === 'never' || decision === null) {
    return `Ratchet is not enabled on this pull request. Comment ${toCommand('enable')} to enable it.\n`;
  }
  const { title: usual, next } = findStopWords(decision, stop) ?? DECISION_WORDS[decision.code];
  const title = waiting === null ? usual : WAITING_TITLE;
  const stopReason = decision.code === 'STOPPED_SAME_CAUSE' ? stop?.reason : undefined;
  const lines = [
    `**${title}**`,
    '',
    toPlainText(decision.reason, MAX_REASON_LENGTH),
    '',
    ...(stopReason === undefined ? [] : [`Why it stopped: ${toPlainText(stopReason, MAX_REASON_LENGTH)}`, '']),
    ...(headSha === null ? [] : [`- Head: ${toInlineCode(headSha)}`]),
    `- Attempts: ${attempts.used} of ${attempts.max} used`,
    ...toBesideLines(status.number, status.beside),
    ...toHolds(status),
    ...toAgentLines(status.agent, decision),
    ...toSessionLines(status),
    ...(next === null ? [] : [`- What to do next: ${next}`]),
    '',
  ];
  return lines.join('\n');
}

/** Everything that holds Ratchet back, regardless of the decision. */
function toHolds({ mode, pause, isHeldByLabel }: Extract<Reply, { kind: 'status' }>): readonly string[] {
  return [
    ...(pause === null ? [] : [`- Paused by ${toInlineCode(pause.by.login)} since ${toUtcMinute(pause.at)}`]),
    ...(isHeldByLabel ? ['- Held by a label'] : []),
    ...(mode === 'push' ? [] : [`- Mode: ${toInlineCode(mode)}`]),
  ];
}

function toSessionLines({
  sessions,
  waiting = null,
  progress = null,
}: Extract<Reply, { kind: 'status' }>): readonly string[] {
  const lines = toLines(sessions, MAX_SESSIONS, ({ kind, status, label, startedAt }) => {
    const who = kind === 'ratchet' ? 'a fixup of Ratchet' : toPlainText(label ?? 'somebody', MAX_LABEL_LENGTH);
    return `- ${status === 'idle' ? 'Idle' : 'Working'}: ${who}, since ${toUtcMinute(startedAt)}`;
  });
  return [
    ...lines,
    ...(progress === null ? [] : [`- ${toProgressText(progress)}`]),
    ...(waiting === null ? [] : [`- ${toWaitingText(waiting)}`]),
  ];
}

function renderWhy({ decisions }: Extract<Reply, { kind: 'why' }>): string {
  if (decisions.length === 0) return `Nothing was decided yet. Comment ${toCommand('enable')} to enable Ratchet.\n`;
  return ['The last decisions, newest first:', '', ...decisions.map(toDecisionLine), ''].join('\n');
}

function toDecisionLine({ createdAt, code, reason, times, since }: LoggedDecision): string {
  const repeated = times === 1 ? '' : ` (${times} times since ${toUtcMinute(since)})`;
  return `- ${toUtcMinute(createdAt)} ${toInlineCode(code)}: ${toPlainText(reason, MAX_REASON_LENGTH)}${repeated}`;
}

function renderStillPaused({ isHeldByLabel }: Extract<Reply, { kind: 'still_paused' }>): string {
  const lift = isHeldByLabel ? 'take the hold label off' : `comment ${toCommand('resume')}`;
  return `The attempt budget starts anew, but Ratchet is paused here: ${lift} to let it go on.\n`;
}

function renderRefusal({ name, why }: Extract<Reply, { kind: 'refused' }>): string {
  const what = name === null ? 'That' : `The command ${toCommand(name)}`;
  if (why === 'bot') return `${what} was not carried out: Ratchet takes no commands from bots.\n`;
  return `${what} was not carried out: it needs write permission on this repository.\n`;
}

function renderNotUndone({ why, byHand }: Extract<Reply, { kind: 'not_undone' }>): string {
  const text = `The last fixup was not undone: ${toPlainText(why, MAX_REASON_LENGTH)}\n`;
  return byHand.length === 0 ? text : `${text}\nBy hand:\n\n${toFence(byHand.join('\n'), 'sh')}\n`;
}

function renderUnknown({ written, nearest }: Extract<Reply, { kind: 'unknown' }>): string {
  const help = `${toCommand('help')} lists all commands.`;
  if (written === '') return `No command was named. The command ${help}\n`;
  const hint = nearest === null ? `The command ${help}` : `Did you mean ${toCommand(nearest)}? The command ${help}`;
  return `There is no command ${toInlineCode(written.slice(0, MAX_WRITTEN_LENGTH))}. ${hint}\n`;
}
