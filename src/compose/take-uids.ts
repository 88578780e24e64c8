import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../core/model/errors.ts';
import { type HeldLock, holdLock } from '../system/hold-lock.ts';

/** Ranges of users for the sandboxes of processes that run as root. */
export interface UidRanges {
  /** Folder of the locks, on this machine alone. */
  readonly locks: string;
  readonly first: number;
  /** Users of each process. */
  readonly each: number;
  readonly processes: number;
  /** What they are for, in the plural. */
  readonly what: string;
}

/** After a command, every process of its user is killed, so no two processes may use the same users. */
export async function takeUids(ranges: UidRanges, held: HeldLock[]): Promise<number> {
  const { locks, first, each, processes, what } = ranges;
  await mkdir(locks, { recursive: true, mode: 0o700 });
  for (let number = 0; number < processes; number += 1) {
    const lock = holdLock(join(locks, `${number}.lock`));
    if (lock === null) continue;
    held.push(lock);
    return first + each * number;
  }
  throw new ConfigError([`${processes} ${what} are at work already`]);
}
