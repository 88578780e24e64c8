import type { CommandEnd } from '../model/command-end.ts';

/** A shell, or a sandbox that is a process itself, reports the signal that ended a command as this plus its number. */
const SIGNAL_BASE = 128;
const SIGNALS: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  15: 'SIGTERM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  31: 'SIGSYS',
};
/** The signal that ended a command, as its name; null: it exited by itself. */
export function findSignal({ exitCode, signal }: Pick<CommandEnd, 'exitCode' | 'signal'>): string | null {
  return signal ?? (exitCode === null ? null : (SIGNALS[exitCode - SIGNAL_BASE] ?? null));
}
