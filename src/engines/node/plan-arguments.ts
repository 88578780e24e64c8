import { posix } from 'node:path';
import type { ArgsInput, EnginePlan } from '../../core/model/engine.ts';

/** The flag with the chosen configuration file, absolute: a tool may run in a folder below the root. Nothing where none is chosen. */
export function toConfigArguments(flag: string, { plan, root }: Pick<ArgsInput, 'plan' | 'root'>): readonly string[] {
  return plan.configPath === null ? [] : [flag, posix.join(root, plan.configPath)];
}

/**
 * The plan's targets as seen from the folder that the tool runs in; `.` is that folder. A name that begins with a hyphen must not
 * be read as a flag.
 */
export function toTargetArguments({ targets, cwd }: Pick<EnginePlan, 'targets' | 'cwd'>): readonly string[] {
  return targets.map((target) => {
    const path = target === '.' ? '.' : posix.relative(cwd, target) || '.';
    return path.startsWith('-') ? `./${path}` : path;
  });
}

/** Major version, or null where the version is not known. */
export function toMajor(version: string | null): number | null {
  const digits = /^v?(\d{1,6})\./u.exec(version ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}
