import type { EngineSpec, Launcher } from '../../core/model/engine.ts';

/** How each tool of Python is started: by the project's interpreter, never by a script on the search path (000.R19). */
export function toPythonLauncher(module: string): Launcher {
  return { kind: 'python', module, distribution: module };
}

/** A run leaves no compiled files in the workspace, and writes UTF-8 whatever the machine's language. */
export const PYTHON_ENV: EngineSpec['env'] = { PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' };

/** Files of Python, and the stubs of its types. */
export const PYTHON_FILES: readonly string[] = ['**/*.py', '**/*.pyi'];

/** Files in which many tools of Python are configured. */
export const SHARED_CONFIG_FILES: readonly string[] = ['pyproject.toml', 'setup.cfg', 'tox.ini'];
