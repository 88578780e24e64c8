import type { Authorization } from '../commands/authorize.ts';
import { COMMANDS } from '../commands/command-names.ts';
import type { Decision } from '../model/decision.ts';
import { assertNever } from '../model/errors.ts';
import type { CommandName } from '../model/event.ts';
import type { EpochMs, Sha } from '../model/ids.ts';
import type { Workspace } from '../model/workspace.ts';
import { DECISION_WORDS } from './decision-words.ts';
import { toInlineCode, toPlainText } from './escape.ts';

/** What a comment command is answered with, where a reaction is not enough. */
export type Reply =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'status';
      readonly enablement: Workspace['enablement'];
      readonly headSha: Sha | null;
      /** null: nothing was decided, since nobody has enabled it. */
      readonly decision: Decision | null;
      readonly attempts: { readonly used: number; readonly max: number };
    }
  | {
      readonly kind: 'refused';
      readonly name: CommandName | 'unknown';
      readonly why: Extract<Authorization, { kind: 'refused' }>['why'];
    }
  | {
      readonly kind: 'why';
      /** Newest first. */
      readonly transitions: readonly { readonly createdAt: EpochMs; readonly code: string; readonly reason: string }[];
    }
  | { readonly kind: 'unknown'; readonly written: string; readonly nearest: CommandName | null }
  | { readonly kind: 'not_available'; readonly name: CommandName }
  | { readonly kind: 'failed'; readonly name: CommandName };

const MAX_WRITTEN_LENGTH = 40;
const MAX_REASON_LENGTH = 600;

/**
 * The comment that answers a command: short, and says why. No line of it starts with a command, so it can never be taken for
 * one (trap 53).
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
    case 'not_available':
      return `The command ${toCommand(reply.name)} is not available yet in this version.\n`;
    case 'failed':
      return `The command ${toCommand(reply.name)} could not be carried out: GitHub did not answer as expected. Nothing was changed; please give it again.\n`;
    default:
      return assertNever(reply);
  }
}

function toCommand(name: CommandName): string {
  return toInlineCode(`/ratchet ${name}`);
}

function renderHelp(): string {
  const lines = COMMANDS.filter(({ isAvailable }) => isAvailable).map(({ name, summary, audience }) => {
    const who = audience === 'anyone' ? '' : ' (needs write permission)';
    return `- ${toCommand(name)}: ${summary}${who}`;
  });
  return ['Commands, at the start of a line of a comment:', '', ...lines, ''].join('\n');
}

function renderStatus({ enablement, headSha, decision, attempts }: Extract<Reply, { kind: 'status' }>): string {
  if (enablement === 'never' || decision === null) {
    return `Ratchet is not enabled on this pull request. Comment ${toCommand('enable')} to enable it.\n`;
  }
  const { title, next } = DECISION_WORDS[decision.code];
  const lines = [
    `**${title}**`,
    '',
    toPlainText(decision.reason, MAX_REASON_LENGTH),
    '',
    ...(headSha === null ? [] : [`- Head: ${toInlineCode(headSha)}`]),
    `- Attempts: ${attempts.used} of ${attempts.max} used`,
    ...(next === null ? [] : [`- What to do next: ${next}`]),
    '',
  ];
  return lines.join('\n');
}

/** The last lines of the transition log, as they were recorded. */
function renderWhy({ transitions }: Extract<Reply, { kind: 'why' }>): string {
  if (transitions.length === 0) return `Nothing was decided yet. Comment ${toCommand('enable')} to enable Ratchet.\n`;
  const lines = transitions.map(
    ({ createdAt, code, reason }) =>
      `- ${new Date(createdAt).toISOString()} ${toInlineCode(code)}: ${toPlainText(reason, MAX_REASON_LENGTH)}`,
  );
  return ['The last decisions, newest first:', '', ...lines, ''].join('\n');
}

function renderRefusal({ name, why }: Extract<Reply, { kind: 'refused' }>): string {
  const what = name === 'unknown' ? 'That' : `The command ${toCommand(name)}`;
  if (why === 'bot') return `${what} was not carried out: Ratchet takes no commands from bots.\n`;
  return `${what} was not carried out: it needs write permission on this repository.\n`;
}

function renderUnknown({ written, nearest }: Extract<Reply, { kind: 'unknown' }>): string {
  const help = `${toCommand('help')} lists all commands.`;
  if (written === '') return `No command was named. The command ${help}\n`;
  const hint = nearest === null ? `The command ${help}` : `Did you mean ${toCommand(nearest)}? The command ${help}`;
  return `There is no command ${toInlineCode(written.slice(0, MAX_WRITTEN_LENGTH))}. ${hint}\n`;
}
