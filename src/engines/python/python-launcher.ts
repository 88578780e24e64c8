import type { EngineSpec, Launcher } from '../../core/model/engine.ts';

/** Starts a Python tool with the project's interpreter, never as a script in PATH (000.R19). */
export function toPythonLauncher(module: string): Launcher {
  return { kind: 'python', module, distribution: module };
}

/** Writes no compiled files into the workspace, and UTF-8 output regardless of the machine's locale. */
export const PYTHON_ENV: EngineSpec['env'] = { PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' };

/** Python files and type stubs. */
export const PYTHON_FILES: readonly string[] = ['**/*.py', '**/*.pyi'];

/** Configuration files that many Python tools share. */
export const SHARED_CONFIG_FILES: readonly string[] = ['pyproject.toml', 'setup.cfg', 'tox.ini'];
