import type { Command, CommandName } from '../model/event.ts';
import { findNearest } from './find-nearest.ts';

/** The static properties of one command. */
export interface CommandSpec {
  readonly name: CommandName;
  /** What it does, for the help text. */
  readonly summary: string;
  /** Who may give it: anyone, writers and the pull request's author, or only writers (accounts with write permission). */
  readonly audience: 'anyone' | 'author' | 'writers';
}

/** All commands, in the order of the help text. */
export const COMMANDS: readonly CommandSpec[] = [
  { name: 'enable', summary: 'let Ratchet fix this pull request', audience: 'writers' },
  {
    name: 'disable',
    summary: 'stop working on this pull request; a running fixup is not pushed',
    audience: 'writers',
  },
  { name: 'status', summary: 'say what Ratchet sees and what it does next', audience: 'anyone' },
  { name: 'why', summary: 'explain the last decisions', audience: 'anyone' },
  { name: 'retry', summary: 'start over with a fresh budget', audience: 'writers' },
  { name: 'pause', summary: 'start and push nothing until `/ratchet resume`', audience: 'author' },
  { name: 'resume', summary: 'go on after a pause', audience: 'writers' },
  { name: 'stop', summary: 'end the running fixup at once', audience: 'author' },
  {
    name: 'check',
    summary: 'run the engines again, on the given paths or on what is changed; `--timeout SECONDS` limits each of them',
    audience: 'writers',
  },
  {
    name: 'rebaseline',
    summary: 'accept the new findings of this commit; write the reason after the command',
    audience: 'writers',
  },
  { name: 'undo', summary: 'revert the last fixup; later commits stay', audience: 'writers' },
  {
    name: 'accept',
    summary: 'push the change that waits for a person, after it is validated again',
    audience: 'writers',
  },
  {
    name: 'answer',
    summary: 'answer the question of the agent; write the answer after the command',
    audience: 'writers',
  },
  { name: 'help', summary: 'show this list', audience: 'anyone' },
];

/** The command with this name, ignoring ASCII case, or null. Unicode look-alikes do not match. */
export function findCommand(name: string): CommandSpec | null {
  if (!/^[a-z]+$/i.test(name)) return null;
  const wanted = name.toLowerCase();
  return COMMANDS.find((command) => command.name === wanted) ?? null;
}

/** The command whose name is nearest, with at most two typing errors; null if there is none. */
export function findNearestCommand(written: string): CommandName | null {
  return findNearest(
    written,
    COMMANDS.map(({ name }) => name),
  );
}

/** Why a line with an unknown name is not carried out, as part of a sentence. */
export function describeUnknown({ written, nearest }: Extract<Command, { name: 'unknown' }>): string {
  if (written === '') return 'no command is named';
  return `there is no command "${written}"${nearest === null ? '' : `; did you mean "${nearest}"?`}`;
}
