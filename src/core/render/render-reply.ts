import type { Authorization } from '../commands/authorize.ts';
import { COMMANDS, type CommandSpec } from '../commands/command-names.ts';
import type { LoggedDecision } from '../decide/last-decisions.ts';
import { assertNever } from '../model/errors.ts';
import type { CommandName } from '../model/event.ts';
import type { Session } from '../model/session.ts';
import type { Workspace } from '../model/workspace.ts';
import { toFence, toInlineCode, toPlainText } from '../text/escape.ts';
import { toLines, toUtcMinute } from '../text/words.ts';
import { toAgentLines } from './agent-lines.ts';
import { toAttemptsLine } from './attempt-words.ts';
import { toBesideLines } from './branch-standing.ts';
import { type Headlined, renderHeadline } from './headline.ts';
import { MAX_REASON_LENGTH } from './limits.ts';
import { toParagraphs } from './markdown.ts';
import { type FailedLook, renderFailedStatus } from './render-failed-look.ts';
import { renderTitle } from './render-title.ts';

/** The answer to a command, if a reaction is not enough. */
export type Reply =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'status';
      readonly enablement: Workspace['enablement'];
      /** What the check run begins with; null: nothing was decided, because Ratchet was never enabled here. */
      readonly story: Headlined | null;
      readonly pause: Workspace['pause'];
      /** Sessions on the head branch that have not ended. */
      readonly sessions: readonly Pick<Session, 'kind' | 'status' | 'label' | 'startedAt'>[];
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
  return ['Write a command at the start of a line of a comment:', '', ...lines, ''].join('\n');
}

function renderStatus({ enablement, story, pause, sessions }: Extract<Reply, { kind: 'status' }>): string {
  if (enablement === 'never' || story === null) {
    return `Ratchet is not enabled on this pull request. Comment ${toCommand('enable')} to enable it.\n`;
  }
  const { decision, facts, snapshot } = story;
  const { pullRequest, ratchet, policy } = snapshot;
  const lines = [
    ...(facts === null ? [] : [`- Commit: ${toInlineCode(facts.headSha)}`]),
    toAttemptsLine(ratchet.consecutiveAttempts, policy.maxAttempts),
    ...(facts === null ? [] : toBesideLines(facts.number, pullRequest?.beside ?? [])),
    ...(pause === null ? [] : [`- Paused by ${toInlineCode(pause.by.login)} since ${toUtcMinute(pause.at)}`]),
    ...(pullRequest?.holdLabel === true ? ['- On hold by a label'] : []),
    ...(policy.mode === 'push' ? [] : [`- Mode: ${toInlineCode(policy.mode)}`]),
    ...toAgentLines(snapshot.agent, decision),
    ...toSessionLines(sessions),
  ];
  return `${toParagraphs([`**${renderTitle(story)}**`, ...renderHeadline(story), lines.join('\n')])}\n`;
}

function toSessionLines(sessions: Extract<Reply, { kind: 'status' }>['sessions']): readonly string[] {
  return toLines(sessions, MAX_SESSIONS, ({ kind, status, label, startedAt }) => {
    const who = kind === 'ratchet' ? 'an attempt of Ratchet' : toPlainText(label ?? 'somebody', MAX_LABEL_LENGTH);
    return `- ${status === 'idle' ? 'Idle' : 'Working'}: ${who}, since ${toUtcMinute(startedAt)}`;
  });
}

function renderWhy({ decisions }: Extract<Reply, { kind: 'why' }>): string {
  if (decisions.length === 0)
    return `Ratchet has decided nothing here yet. Comment ${toCommand('enable')} to enable Ratchet.\n`;
  return ['The last decisions, newest first:', '', ...decisions.map(toDecisionLine), ''].join('\n');
}

function toDecisionLine({ createdAt, code, reason, times, since }: LoggedDecision): string {
  const repeated = times === 1 ? '' : ` (${times} times since ${toUtcMinute(since)})`;
  return `- ${toUtcMinute(createdAt)} ${toInlineCode(code)}: ${toPlainText(reason, MAX_REASON_LENGTH)}${repeated}`;
}

function renderStillPaused({ isHeldByLabel }: Extract<Reply, { kind: 'still_paused' }>): string {
  const lift = isHeldByLabel ? 'remove the hold label' : `comment ${toCommand('resume')}`;
  return `Ratchet has new attempts, but it is paused here. To let it continue, ${lift}.\n`;
}

function renderRefusal({ name, why }: Extract<Reply, { kind: 'refused' }>): string {
  const what = name === null ? 'That' : `The command ${toCommand(name)}`;
  if (why === 'bot') return `${what} was not carried out, because Ratchet accepts no commands from bots.\n`;
  return `${what} was not carried out, because it needs write permission in this repository.\n`;
}

function renderNotUndone({ why, byHand }: Extract<Reply, { kind: 'not_undone' }>): string {
  const text = `The last fixup was not undone: ${toPlainText(why, MAX_REASON_LENGTH)}\n`;
  return byHand.length === 0 ? text : `${text}\nBy hand:\n\n${toFence(byHand.join('\n'), 'sh')}\n`;
}

function renderUnknown({ written, nearest }: Extract<Reply, { kind: 'unknown' }>): string {
  const help = `The command ${toCommand('help')} lists all commands.`;
  if (written === '') return `The comment names no command. ${help}\n`;
  const hint = nearest === null ? help : `Did you mean ${toCommand(nearest)}? ${help}`;
  return `There is no command ${toInlineCode(written.slice(0, MAX_WRITTEN_LENGTH))}. ${hint}\n`;
}
