import { isExceededLimit } from '../limits/exceeded-limit.ts';
import { findSignal } from '../limits/find-signal.ts';
import type { CommandEnd } from '../model/command-end.ts';
import type { RawExit } from '../model/engine.ts';
import { assertNever } from '../model/errors.ts';

/** What bubblewrap and Node print if a program is missing. They print something else if a folder is. */
const NO_PROGRAM = [/^bwrap: execvp .*: No such file or directory$/mu, /^spawn .+ ENOENT$/mu] as const;

/** How an engine ended. A run that left processes alive is not trusted and counts as `signalled`. */
export function toRawExit(end: Omit<CommandEnd, 'stdoutTail'>): RawExit {
  const { kind, exitCode, signal, durationMs, stderrTail, processesLeft } = end;
  const raw = { exitCode, signal, durationMs };
  if (isExceededLimit(kind)) return { ...raw, kind };
  switch (kind) {
    case 'timed_out':
    case 'aborted':
      return { ...raw, kind };
    case 'output_flood':
      return { ...raw, kind: 'output_limit' };
    case 'not_started':
      return { ...raw, kind: NO_PROGRAM.some((pattern) => pattern.test(stderrTail)) ? 'not_found' : 'not_launched' };
    case 'exited': {
      const name = findSignal(end);
      if (processesLeft > 0) return { ...raw, kind: 'signalled', signal: name ?? 'SIGKILL' };
      return { ...raw, kind: name === null ? 'exited' : 'signalled', signal: name };
    }
    default:
      return assertNever(kind);
  }
}
