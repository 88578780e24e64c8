import type { HasPath } from './choose-launcher.ts';

export type PythonManager = 'venv' | 'uv' | 'poetry' | 'system';

/** How its Python is started: `-m <module>` and the rest come after `argv`. */
export interface PythonInvocation {
  readonly manager: PythonManager;
  /** Never empty. Of a virtual environment the first word is a path relative to the root, else a program of the machine. */
  readonly argv: readonly string[];
}

const VENV_FOLDERS: readonly string[] = ['.venv', 'venv'];
const UV_LOCK = 'uv.lock';
const POETRY_LOCK = 'poetry.lock';

/** All that is asked for here: to be looked up before, as nothing is read here. */
export const PYTHON_PATHS: readonly string[] = [...VENV_FOLDERS.map(toInterpreter), UV_LOCK, POETRY_LOCK];

/**
 * The interpreter of the project, always named by us and never one that happens to be first in PATH under a tool's name. A virtual
 * environment counts before a lock file, as it needs no other tool to start; then the tool whose lock file is there; then the
 * machine's own Python.
 */
export function choosePython(has: HasPath): PythonInvocation {
  const venvPath = findVenv(has);
  if (venvPath !== null) return { manager: 'venv', argv: [toInterpreter(venvPath)] };
  if (has(UV_LOCK)) return { manager: 'uv', argv: ['uv', 'run', 'python'] };
  if (has(POETRY_LOCK)) return { manager: 'poetry', argv: ['poetry', 'run', 'python'] };
  return { manager: 'system', argv: ['python3'] };
}

function findVenv(has: HasPath): string | null {
  return VENV_FOLDERS.find((folder) => has(toInterpreter(folder))) ?? null;
}

function toInterpreter(folder: string): string {
  return `${folder}/bin/python`;
}
