import type { EngineSpec, Launcher } from '../model/engine.ts';
import { assertNever, InvariantError } from '../model/errors.ts';
import { toParents } from './canonical-scope.ts';

/** Whether there is something at a path below the root, installed dependencies included. */
export type HasPath = (path: string) => boolean;

/**
 * The launcher that an engine is started by: the first that is there. Where none is, it is the last, whose absence is then what is
 * told of the run.
 * @throws InvariantError for an engine without launchers, which no catalogue may hold.
 */
export function chooseLauncher({ id, launchers }: EngineSpec, has: HasPath, cwd = '.'): Launcher {
  const chosen = launchers.find((launcher) => isLauncherThere(launcher, has, cwd)) ?? launchers.at(-1);
  if (chosen === undefined) throw new InvariantError(`engine "${id}" has no launcher`);
  return chosen;
}

/**
 * Whether it can be tried. Of an interpreter's module and of a program only the run tells, so both can: an interpreter that says
 * "No module named …" is a tool that is not there.
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

/** Path of a script below the nearest `node_modules` that has it, from `cwd` up to the root; null: none has. */
export function findNodeScript(script: string, has: HasPath, cwd = '.'): string | null {
  return toNodeScriptPaths(script, cwd).find(has) ?? null;
}

/** The paths that `findNodeScript` asks for, nearest first: to be looked up before, as nothing is read here. */
export function toNodeScriptPaths(script: string, cwd = '.'): readonly string[] {
  return [cwd, ...toParents(cwd)].map((folder) => `${folder === '.' ? '' : `${folder}/`}node_modules/${script}`);
}
