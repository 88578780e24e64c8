import type { ExitCodes, RawExit } from '../model/engine.ts';
import { findExitCodeList } from './exit-codes.ts';

/** From here on, exit codes usually stand for signals. */
const FIRST_SIGNAL_CODE = 129;

/**
 * An exit whose code looks like a signal's (137: SIGKILL). Where the tool or the policy lists the code, the tool ended by itself
 * with that code.
 */
export function settleExit(exit: RawExit, codes: ExitCodes): RawExit {
  const { kind, exitCode } = exit;
  if (kind !== 'signalled' || exitCode === null || exitCode < FIRST_SIGNAL_CODE) return exit;
  return findExitCodeList(exitCode, codes) === null ? exit : { ...exit, kind: 'exited', signal: null };
}
