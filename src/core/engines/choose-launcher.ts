import type { EngineSpec, Launcher } from '../model/engine.ts';
import { assertNever, InvariantError } from '../model/errors.ts';
import { toParents } from './canonical-scope.ts';

/** Whether a path below the root exists, installed dependencies included. */
export type HasPath = (path: string) => boolean;

/**
 * The first launcher of an engine that is available. If none is, the last one: the run then reports it as missing.
 * @throws InvariantError if the engine has no launchers, which no catalogue may contain.
 */
export function chooseLauncher({ id, launchers }: EngineSpec, has: HasPath, cwd = '.'): Launcher {
  const chosen = launchers.find((launcher) => isLauncherThere(launcher, has, cwd)) ?? launchers.at(-1);
  if (chosen === undefined) throw new InvariantError(`engine "${id}" has no launcher`);
  return chosen;
}

/**
 * Whether the launcher can be tried. Only the run can tell for an interpreter's module or a program, so both count as available.
 * An interpreter's "No module named …" is later reported as a missing tool.
 */
export function isLauncherThere(launcher: Launcher, has: HasPath, cwd = '.'): boolean {
  switch (launcher.kind) {
    case 'node':
      return findNodeScript(launcher.script, has, cwd) !== null;
    case 'python':
    case 'program':
    case 'declared':
      return true;
    default:
      return assertNever(launcher);
  }
}

/** Path of a script below the nearest `node_modules` that has it, from `cwd` up to the root; null if none does. */
export function findNodeScript(script: string, has: HasPath, cwd = '.'): string | null {
  return toNodeScriptPaths(script, cwd).find(has) ?? null;
}

/** Paths that `findNodeScript` looks for, nearest first. The caller looks them up beforehand, because the core reads no files. */
export function toNodeScriptPaths(script: string, cwd = '.'): readonly string[] {
  return [cwd, ...toParents(cwd)].map((folder) => `${folder === '.' ? '' : `${folder}/`}node_modules/${script}`);
}
