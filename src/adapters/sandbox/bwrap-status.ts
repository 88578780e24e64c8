import { type FileHandle, open } from 'node:fs/promises';

/** bwrap's reports about the sandbox that it created. */
export interface BwrapStatus {
  readonly readLine: (line: string) => void;
  /** Host pid of the sandbox's first process; null before it exists. */
  readonly firstPid: () => number | null;
  /** The sandbox's pid namespace in the form of its link (`pid:[…]`); null before it exists. */
  readonly pidNamespace: () => string | null;
  /** Whether the command was started: bwrap reports an exit code only then. */
  readonly hasExitCode: () => boolean;
  /** Releases the namespace. */
  readonly close: () => Promise<void>;
}

/**
 * Parses the lines of `--json-status-fd`. Keeps the pid namespace open until `close`, so that its number is not reused
 * while its remaining processes are searched.
 */
export function createBwrapStatus(): BwrapStatus {
  let firstPid: number | null = null;
  let pidNamespace: string | null = null;
  let hasExitCode = false;
  let hold: Promise<FileHandle | null> = Promise.resolve(null);
  return {
    readLine: (line) => {
      const pid = readNumber(line, 'child-pid');
      const namespace = readNumber(line, 'pid-namespace');
      if (pid !== null) {
        firstPid = pid;
        hold = open(`/proc/${String(pid)}/ns/pid`).catch(() => null);
      }
      if (namespace !== null) pidNamespace = `pid:[${String(namespace)}]`;
      if (readNumber(line, 'exit-code') !== null) hasExitCode = true;
    },
    firstPid: () => firstPid,
    pidNamespace: () => pidNamespace,
    hasExitCode: () => hasExitCode,
    close: async () => {
      await (await hold)?.close();
    },
  };
}

function readNumber(line: string, name: string): number | null {
  const [, digits] = new RegExp(`"${name}": (\\d+)`).exec(line) ?? [];
  return digits === undefined ? null : Number(digits);
}
