import { toParents } from './canonical-scope.ts';
import type { HasPath } from './choose-launcher.ts';

export type PythonManager = 'venv' | 'active' | 'uv' | 'poetry' | 'system';

/** How the project's Python is started. `-m <module>` and further arguments follow `argv`. */
export interface PythonInvocation {
  readonly manager: PythonManager;
  /** Never empty. The first word is a path relative to the root for `venv`, absolute for `active`, otherwise a program of the machine. */
  readonly argv: readonly string[];
}

const VENV_FOLDERS: readonly string[] = ['.venv', 'venv'];
const UV_LOCK = 'uv.lock';
const POETRY_LOCK = 'poetry.lock';

const NAMES: readonly string[] = [...VENV_FOLDERS.map(toInterpreter), UV_LOCK, POETRY_LOCK];

/** All paths that `choosePython` looks for. The caller looks them up beforehand, because the core reads no files. */
export function toPythonPaths(cwd = '.'): readonly string[] {
  return toFolders(cwd).flatMap((folder) => NAMES.map((name) => `${folder}${name}`));
}

/**
 * The interpreter of the project in `cwd`, from the nearest folder up to the root that has one. A virtual environment comes first,
 * because it needs no other tool to start: that of the project, then the one that a person has activated (`active`, its absolute
 * interpreter). Then the tool whose lock file exists; then the machine's Python. Ratchet always names it and never runs the first
 * program in PATH with the tool's name.
 */
export function choosePython(has: HasPath, cwd = '.', active: string | null = null): PythonInvocation {
  for (const folder of toFolders(cwd)) {
    const interpreter = VENV_FOLDERS.map((name) => `${folder}${toInterpreter(name)}`).find(has);
    if (interpreter !== undefined) return { manager: 'venv', argv: [interpreter] };
    if (active !== null) continue;
    if (has(`${folder}${UV_LOCK}`)) return { manager: 'uv', argv: ['uv', 'run', 'python'] };
    if (has(`${folder}${POETRY_LOCK}`)) return { manager: 'poetry', argv: ['poetry', 'run', 'python'] };
  }
  if (active !== null) return { manager: 'active', argv: [active] };
  return { manager: 'system', argv: ['python3'] };
}

/** The folder and those above it, as prefixes of paths. */
function toFolders(cwd: string): readonly string[] {
  return [cwd, ...toParents(cwd)].map((folder) => (folder === '.' ? '' : `${folder}/`));
}

function toInterpreter(folder: string): string {
  return `${folder}/bin/python`;
}
