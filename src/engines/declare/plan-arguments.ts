import { posix } from 'node:path';
import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import type { ArgsInput } from '../../core/model/engine.ts';

type PlanInput = Pick<ArgsInput, 'plan' | 'root'>;

/** The flag with the absolute path of the chosen file, because a tool may run in a subfolder. Empty if none is chosen. */
export function toConfigArguments(flag: string, { plan, root }: PlanInput): readonly string[] {
  return plan.configPath === null ? [] : [flag, posix.join(root, plan.configPath)];
}

/** All that a plan says, in the order that most tools take: configuration file, further arguments, targets. */
export function toPlanArguments(configFlag: string, input: PlanInput): readonly string[] {
  return [...toConfigArguments(configFlag, input), ...input.plan.args, ...toTargetsFrom(input.plan)];
}
