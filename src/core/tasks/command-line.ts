import type { CommandSpec } from '../model/agent-contract.ts';

const PLAIN = /^[\w@%+=:,./-]+$/u;

/** A command as a person would type it in a shell. */
export function toCommandLine({ args, cwd }: Pick<CommandSpec, 'args' | 'cwd'>): string {
  const line = args.map(quoteWord).join(' ');
  return cwd === '.' ? line : `cd ${quoteWord(cwd)} && ${line}`;
}

/** A word that a shell takes as it is. */
export function quoteWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
