import { posix } from 'node:path';
import type { ArgsInput } from '../../core/model/engine.ts';

/** The flag with the absolute path of the chosen file, because a tool may run in a subfolder. Empty if none is chosen. */
export function toConfigArguments(flag: string, { plan, root }: Pick<ArgsInput, 'plan' | 'root'>): readonly string[] {
  return plan.configPath === null ? [] : [flag, posix.join(root, plan.configPath)];
}
