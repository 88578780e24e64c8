import { narrowPlan } from '../engines/narrow-plan.ts';
import type { CommandSpec, SuccessCriteria } from '../model/agent-contract.ts';
import type { ArgsInput, EnginePlan, EngineSpec, EngineTool } from '../model/engine.ts';
import type { EngineSettings } from '../model/policy.ts';
import type { ValidationSpec } from '../model/task.ts';

/** An engine that ran in one project, as planning needs it. */
export interface TaskSource {
  readonly spec: EngineSpec;
  readonly settings: EngineSettings;
  /** Its TARGET plan. */
  readonly plan: EnginePlan;
  readonly tool: EngineTool;
  /** Whether its run checked everything. Only then is what it did not report gone, and only then is a gap of coverage one. */
  readonly isComplete: boolean;
}

/** Where the commands of a validation run. */
export interface ValidationPlace extends Pick<ArgsInput, 'root' | 'artifacts' | 'files'> {
  readonly texts: NonNullable<ArgsInput['texts']>;
}

/**
 * The validation of a task by its engine (001.R23, R54, R55): the engine again, over the given files only where it can be narrowed,
 * with the arguments of the catalogue. An empty list of files is the whole project.
 */
export function planEngineValidation(
  { spec, settings, plan, tool }: TaskSource,
  files: readonly string[],
  { place, criteria }: { readonly place: ValidationPlace; readonly criteria: SuccessCriteria },
): ValidationSpec {
  const narrowed = narrowPlan(spec, plan, files);
  const { version, companions, python } = tool;
  const commands = spec.toCommands({ ...place, plan: narrowed, version, companions, python });
  return {
    commands: commands.map(
      (args): CommandSpec => ({
        runner: toRunner(spec, tool),
        args: [...tool.start, ...args],
        env: narrowed.env,
        cwd: narrowed.cwd,
        timeout_seconds: settings.timeoutSeconds ?? Math.ceil(spec.timeoutMs / 1000),
      }),
    ),
    check: { engine: spec.id, project: plan.project, paths: files },
    successCriteria: criteria,
  };
}

/** What starts the tool, by its command line. */
function toRunner({ launchers }: EngineSpec, { start }: EngineTool): CommandSpec['runner'] {
  const launcher = launchers.find((each) => {
    if (each.kind === 'node') return start.some((word) => word.endsWith(`/${each.script}`));
    return each.kind === 'python' && start.includes(each.module);
  });
  if (launcher === undefined) return 'generic';
  return launcher.kind === 'node' ? 'node' : 'python';
}
