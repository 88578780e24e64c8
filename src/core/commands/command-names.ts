import type { CommandName } from '../model/event.ts';
import { findNearest } from './find-nearest.ts';

/** What is known of one command without looking at a pull request. */
export interface CommandSpec {
  readonly name: CommandName;
  /** What it does, for the help text. */
  readonly summary: string;
  /** Who may give it: anyone, the pull request's author too, or only accounts that may write to the repository. */
  readonly audience: 'anyone' | 'author' | 'writers';
  /** Whether this version carries it out; the others are recognised and answered with "not available yet". */
  readonly isAvailable: boolean;
}

/** Every command there is, in the order of the help text. */
export const COMMANDS: readonly CommandSpec[] = [
  { name: 'enable', summary: 'let Ratchet fix this pull request', audience: 'writers', isAvailable: true },
  {
    name: 'disable',
    summary: 'start nothing any more; a running fixup is not pushed',
    audience: 'writers',
    isAvailable: true,
  },
  { name: 'status', summary: 'say what Ratchet sees and what it does next', audience: 'anyone', isAvailable: true },
  { name: 'why', summary: 'explain the last decisions', audience: 'anyone', isAvailable: true },
  { name: 'retry', summary: 'start over with a fresh budget', audience: 'writers', isAvailable: true },
  { name: 'pause', summary: 'hold still until resumed', audience: 'author', isAvailable: true },
  { name: 'resume', summary: 'go on after a pause', audience: 'writers', isAvailable: true },
  { name: 'stop', summary: 'end the running fixup at once', audience: 'author', isAvailable: true },
  {
    name: 'check',
    summary: 'run the engines again, on the given paths or on what is changed; `--timeout SECONDS` limits each of them',
    audience: 'writers',
    isAvailable: true,
  },
  {
    name: 'rebaseline',
    summary: 'accept the new findings of this head on purpose; a reason follows',
    audience: 'writers',
    isAvailable: true,
  },
  { name: 'undo', summary: 'take back the last fixup', audience: 'writers', isAvailable: false },
  { name: 'help', summary: 'show this list', audience: 'anyone', isAvailable: true },
];

/** The command called `name`, in any case; null when there is none. Letters that merely look alike are others. */
export function findCommand(name: string): CommandSpec | null {
  if (!/^[a-z]+$/i.test(name)) return null;
  const wanted = name.toLowerCase();
  return COMMANDS.find((command) => command.name === wanted) ?? null;
}

/** The command whose name is at most two typing errors away; null when none is. */
export function findNearestCommand(written: string): CommandName | null {
  return findNearest(
    written,
    COMMANDS.map(({ name }) => name),
  );
}
