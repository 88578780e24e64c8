import { join } from 'node:path';
import { ConfigError, toError } from '../../core/model/errors.ts';
import { type HeldLock, holdLock } from '../../system/hold-lock.ts';

/** Proof that this process is the only control plane of its data folder. */
export type ControlPlaneLock = HeldLock;

/**
 * Takes the exclusive lock of `dataDir` (S14: one control plane).
 * @throws ConfigError at once if another process holds the lock or the folder is not writable.
 */
export function acquireControlPlaneLock(dataDir: string): ControlPlaneLock {
  const path = join(dataDir, 'control-plane.lock');
  const lock = tryLock(path);
  if (lock !== null) return lock;
  throw new ConfigError([
    `another Ratchet process is using this data folder (it holds ${path}): stop it first, or use another folder`,
  ]);
}

function tryLock(path: string): ControlPlaneLock | null {
  try {
    return holdLock(path);
  } catch (error) {
    const why = toError(error).message;
    throw new ConfigError([
      `the lock file ${path} cannot be used (${why}): check that its folder exists and can be written`,
    ]);
  }
}
