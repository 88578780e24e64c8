import { posix } from 'node:path';
import { toCoveringTargets } from '../../core/engines/cover-targets.ts';
import { toExcludesFrom, toTargetsFrom } from '../../core/engines/find-targets.ts';
import type { ArgsInput, EngineSpec } from '../../core/model/engine.ts';

type PlanInput = Pick<ArgsInput, 'plan' | 'root'>;

/** The flag with the absolute path of the chosen file, because a tool may run in a subfolder. Empty if none is chosen. */
export function toConfigArguments(flag: string, { plan, root }: PlanInput): readonly string[] {
  return plan.configPath === null ? [] : [flag, posix.join(root, plan.configPath)];
}

/**
 * All that a plan says, in the order that most tools take: configuration file, further arguments, targets. If the tool is to decide
 * itself what to check, it gets no targets.
 */
export function toPlanArguments(configFlag: string, input: PlanInput): readonly string[] {
  const { plan } = input;
  const targets = plan.usesToolScope ? [] : toTargetsFrom(plan);
  return [...toConfigArguments(configFlag, input), ...plan.args, ...targets];
}

/** The input of a tool that has no way to leave folders out: its targets are what they hold beside those. */
export function toCoveringInput<Input extends Pick<ArgsInput, 'plan' | 'files'>>(
  input: Input,
  globs: readonly string[],
): Input {
  return { ...input, plan: { ...input.plan, targets: toCoveringTargets(input.plan, input.files, globs) } };
}

/** The flag with a pattern for each folder that the plan leaves out, in the syntax of `.gitignore`. */
export function toIgnoreArguments(flag: string, { plan }: Pick<ArgsInput, 'plan'>): readonly string[] {
  return toExcludesFrom(plan).map((folder) => `${flag}=${escapePattern(folder)}/**`);
}

/** Characters that a glob would read as more than themselves. */
function escapePattern(path: string): string {
  return path.replaceAll(/[\\!#*?[\]{}()]/gu, String.raw`\$&`);
}

/** Narrows a tool that gets its targets by no argument: `flags` and the files come after the plan's own arguments. */
export function narrowTo(flags: readonly string[]): NonNullable<EngineSpec['narrow']> {
  return ({ args, targets, cwd, usesToolScope }, files) => ({
    targets,
    args: [...args, ...flags, ...toTargetsFrom({ targets: files, cwd })],
    usesToolScope,
  });
}
