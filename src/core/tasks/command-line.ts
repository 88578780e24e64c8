import type { CommandSpec } from '../model/agent-contract.ts';

const PROGRAMS: Readonly<Record<CommandSpec['runner'], readonly string[]>> = {
  python: ['python3'],
  node: ['node'],
  generic: [],
};
const PLAIN = /^[\w@%+=:,./-]+$/u;

/** The program and arguments of a command: its runner starts it. */
export function toArgv({ runner, args }: Pick<CommandSpec, 'runner' | 'args'>): readonly string[] {
  return [...PROGRAMS[runner], ...args];
}

/** A command as a person would type it in a shell. */
export function toCommandLine(command: Pick<CommandSpec, 'runner' | 'args' | 'cwd'>): string {
  const line = toArgv(command).map(quoteWord).join(' ');
  return command.cwd === '.' ? line : `cd ${quoteWord(command.cwd)} && ${line}`;
}

function quoteWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
