import { toAskerTag } from '../../core/commands/buttons.ts';
import { readAnswer } from '../../core/execution/read-answer.ts';
import { REMEMBERED_SESSIONS } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { findOpenQuestion, type OpenQuestion } from '../../core/sessions/find-open-question.ts';
import type { StoredCommand } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';

type Read =
  | { readonly kind: 'answer'; readonly asked: OpenQuestion; readonly text: string }
  | { readonly kind: 'none'; readonly why: string };

/** Why `answer` has nothing to carry out, as part of a sentence; null: it has. */
export function findAnswerObstacle(
  deps: Pick<Deps, 'store'>,
  workspace: Workspace,
  stored: Pick<StoredCommand, 'command'>,
): string | null {
  if (stored.command.name !== 'answer') return null;
  const read = readCommand(deps, workspace, stored);
  return read.kind === 'none' ? read.why : null;
}

/** The answer of a command to the open question, for its effect; null: there is none. */
export function takeAnswer(
  deps: Pick<Deps, 'store'>,
  workspace: Workspace,
  stored: Pick<StoredCommand, 'command'>,
): Extract<Read, { readonly kind: 'answer' }> | null {
  const read = readCommand(deps, workspace, stored);
  return read.kind === 'answer' ? read : null;
}

function readCommand(
  { store }: Pick<Deps, 'store'>,
  { key, stop }: Workspace,
  { command }: Pick<StoredCommand, 'command'>,
): Read {
  const asked = findOpenQuestion(stop, store.endedSessions(key, REMEMBERED_SESSIONS));
  if (asked === null) return none('no question waits for an answer');
  const [written = '', tag] = 'args' in command ? command.args : [];
  // A button of a check run names the session whose question it belongs to.
  if (tag !== undefined && tag !== toAskerTag(asked.id)) return none('another question is open by now');
  const { choices } = asked.question;
  // A button has the place of its choice; a text of that number may be another choice.
  const text = tag === undefined ? readAnswer(written, choices) : (choices[Number(written) - 1] ?? null);
  if (text !== null) return { kind: 'answer', asked, text };
  return none(choices.length === 0 ? 'the answer has no text' : `the possible answers are: ${choices.join(', ')}`);
}

function none(why: string): Read {
  return { kind: 'none', why };
}
