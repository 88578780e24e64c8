import { sha256 } from '../hash/sha256.ts';
import type { CommandName } from '../model/event.ts';
import type { SessionId } from '../model/ids.ts';

/** A button of the check run: it works like the command of its name. GitHub allows three per check run, with short texts. */
export interface Button {
  /** At most 20 characters. */
  readonly identifier: string;
  /** At most 20 characters. */
  readonly label: string;
  /** At most 40 characters. */
  readonly description: string;
}

type NamedButton = Button & { readonly identifier: CommandName };

export const RETRY: NamedButton = {
  identifier: 'retry',
  label: 'Retry',
  description: 'Try again with new attempts',
};
export const WHY: NamedButton = { identifier: 'why', label: 'Why', description: 'Explain the last decisions' };
export const DISABLE: NamedButton = {
  identifier: 'disable',
  label: 'Disable',
  description: 'Stop working on this pull request',
};

export const RESUME: NamedButton = {
  identifier: 'resume',
  label: 'Resume',
  description: 'Continue after a pause',
};

export const UNDO: NamedButton = { identifier: 'undo', label: 'Undo', description: 'Revert the last fixup' };

export const ACCEPT: NamedButton = {
  identifier: 'accept',
  label: 'Accept',
  description: 'Validate again and push the change',
};

export const CHECK: NamedButton = {
  identifier: 'check',
  label: 'Re-run checks',
  description: 'Run the engines on this commit again',
};

const BUTTONS: readonly NamedButton[] = [RETRY, WHY, DISABLE, RESUME, UNDO, ACCEPT, CHECK];

/** What a button asks for. */
export interface Pressed {
  readonly name: CommandName;
  readonly args: readonly string[];
}

/** The button for a choice of a question. Its session is part of it: an old check run must not answer a newer question. */
export function toAnswerButton(choice: string, index: number, asker: SessionId): Button {
  const identifier = `answer:${index + 1}:${toAskerTag(asker)}`;
  return { identifier, label: choice, description: 'Give this answer to the agent' };
}

/** What stands for the session that asks, in a button. */
export function toAskerTag(asker: SessionId): string {
  return sha256(asker).slice(0, 10);
}

/** The command of the button with this identifier; null: there is no such button. */
export function findButton(identifier: string): Pressed | null {
  const { number, tag } = /^answer:(?<number>[1-3]):(?<tag>[\da-f]{10})$/u.exec(identifier)?.groups ?? {};
  if (number !== undefined && tag !== undefined) return { name: 'answer', args: [number, tag] };
  const name = BUTTONS.find((button) => button.identifier === identifier)?.identifier;
  return name === undefined ? null : { name, args: [] };
}
