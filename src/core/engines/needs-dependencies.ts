import { toPackageNames } from './to-package-names.ts';

/** Files at the root whose text shows whether something must be installed. Read beforehand; null or left out if missing. */
export const DEPENDENCY_FILES = ['package.json', 'pyproject.toml'] as const;

/** A lock file exists only where there is something to install. */
const LOCKFILES: readonly string[] = [
  'Cargo.lock',
  'Pipfile.lock',
  'go.sum',
  'npm-shrinkwrap.json',
  'package-lock.json',
  'pnpm-lock.yaml',
  'poetry.lock',
  'requirements.txt',
  'uv.lock',
  'yarn.lock',
];
/** Folders of dependencies that a repository may commit. */
const INSTALLED = ['node_modules', '.venv', 'venv', 'vendor'] as const;
const NODE_FIELDS = ['dependencies', 'devDependencies'] as const;
/** A `dependencies` list that is not empty, or Poetry's table. */
const PYTHON_DEPENDENCIES = /^\s*(?:dependencies\s*=\s*\[\s*["']|\[tool\.poetry\.(?:[\w.-]+\.)?dependencies\])/mu;

/**
 * Whether a repository needs packages that it does not contain: it has a lock file or a manifest with dependencies at the root,
 * and no committed folder of dependencies.
 */
export function needsDependencies(files: readonly string[], texts: Readonly<Record<string, string | null>>): boolean {
  if (files.some((path) => INSTALLED.some((folder) => path.startsWith(`${folder}/`)))) return false;
  if (files.some((path) => LOCKFILES.includes(path))) return true;
  if (toPackageNames(texts['package.json'] ?? '', NODE_FIELDS).size > 0) return true;
  return PYTHON_DEPENDENCIES.test(texts['pyproject.toml'] ?? '');
}
