import { type FileHandle, open } from 'node:fs/promises';

/** What bwrap said about the sandbox that it made. */
export interface BwrapStatus {
  readonly readLine: (line: string) => void;
  /** Host pid of the sandbox's first process; null before it exists. */
  readonly firstPid: () => number | null;
  /** The sandbox's pid namespace as its link reads (`pid:[…]`); null before it exists. */
  readonly pidNamespace: () => string | null;
  /** Whether the command itself was started: bwrap reports an exit code for nothing else. */
  readonly hasExitCode: () => boolean;
  /** Lets go of the namespace. */
  readonly close: () => Promise<void>;
}

/**
 * Reads the lines of `--json-status-fd`. The pid namespace is held open until `close`: its number must not go to another
 * sandbox while we look for what is left in it.
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
