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

/** All paths that `choosePython` looks for. The caller looks them up beforehand, because the core reads no files. */
export const PYTHON_PATHS: readonly string[] = [...VENV_FOLDERS.map(toInterpreter), UV_LOCK, POETRY_LOCK];

/**
 * The project's interpreter. A virtual environment comes first, because it needs no other tool to start: that of the project, then the
 * one that the person has activated (`active`, its absolute interpreter). Then the tool whose lock file exists; then the machine's
 * Python. Ratchet always names it and never runs the first program in PATH with the tool's name.
 */
export function choosePython(has: HasPath, active: string | null = null): PythonInvocation {
  const interpreter = VENV_FOLDERS.map(toInterpreter).find(has);
  if (interpreter !== undefined) return { manager: 'venv', argv: [interpreter] };
  if (active !== null) return { manager: 'active', argv: [active] };
  if (has(UV_LOCK)) return { manager: 'uv', argv: ['uv', 'run', 'python'] };
  if (has(POETRY_LOCK)) return { manager: 'poetry', argv: ['poetry', 'run', 'python'] };
  return { manager: 'system', argv: ['python3'] };
}

function toInterpreter(folder: string): string {
  return `${folder}/bin/python`;
}
