import { judgeRun } from '../../core/engines/judge-run.ts';
import type { PlannedFix } from '../../core/engines/plan-fixes.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../../core/model/default-policy.ts';
import type { EngineError } from '../../core/model/engine.ts';
import type { EngineSettings } from '../../core/model/policy.ts';
import { createFindTool } from './find-tool.ts';
import { runCommands } from './run-commands.ts';
import type { RunEnginesDeps } from './run-engines.ts';

/** A fixer that ran. */
export interface FixRun {
  readonly fix: PlannedFix;
  /** As executed. */
  readonly argv: readonly string[];
  readonly exitCode: number | null;
  /** null: it did its work. It may have changed files even if it failed. */
  readonly error: EngineError | null;
}

/**
 * Runs fixers one after another, in place. A fixer that fails does not keep the others from running.
 * @throws the reason of the signal once it has fired and every process is gone.
 */
export async function fixEngines(
  { host }: Pick<RunEnginesDeps, 'host'>,
  {
    fixes,
    settings,
  }: { readonly fixes: readonly PlannedFix[]; readonly settings: Readonly<Record<string, EngineSettings>> },
  signal: AbortSignal,
): Promise<readonly FixRun[]> {
  const specs = fixes.map(({ spec }) => spec);
  const findTool = createFindTool(host, specs, signal);
  const ran: FixRun[] = [];
  for (const fix of fixes) {
    const { spec, plan } = fix;
    const own = toFixerSettings(settings[spec.id] ?? DEFAULT_ENGINE_SETTINGS);
    const tool = await findTool(spec, plan.cwd);
    const timeoutMs = own.timeoutSeconds === null ? spec.timeoutMs : own.timeoutSeconds * 1000;
    const raw = await runCommands({ host, spec, settings: own, plan, tool, timeoutMs, texts: {} }, signal);
    signal.throwIfAborted();
    const { dependencies } = host;
    const { error } = judgeRun({
      spec,
      plan,
      settings: own,
      version: tool.version,
      cwd: plan.cwd,
      dependencies,
      ...raw,
    });
    const { argv, exit } = raw;
    ran.push({
      fix,
      argv,
      exitCode: exit.exitCode,
      error: error === null ? null : { ...error, message: `its fixer: ${error.message}` },
    });
  }
  return ran;
}

/** The exit codes of a declared command say nothing about its fixer, which is another program. */
function toFixerSettings(settings: EngineSettings): EngineSettings {
  const { exitCodes, ignoreExit } = DEFAULT_ENGINE_SETTINGS;
  return settings.declared === null ? settings : { ...settings, exitCodes, ignoreExit };
}
