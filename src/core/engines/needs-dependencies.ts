import { toPackageNames } from './to-package-names.ts';

/** Files at the root whose text tells whether something has to be installed; read before, null or left out where missing. */
export const DEPENDENCY_FILES = ['package.json', 'pyproject.toml'] as const;

/** Nobody writes one of these for nothing. */
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
/** Where they lie where a repository brings them along. */
const INSTALLED = ['node_modules', '.venv', 'venv', 'vendor'] as const;
const NODE_FIELDS = ['dependencies', 'devDependencies'] as const;
/** A list that begins with a name, or Poetry's table. */
const PYTHON_DEPENDENCIES = /^\s*(?:dependencies\s*=\s*\[\s*["']|\[tool\.poetry\.(?:[\w.-]+\.)?dependencies\])/mu;

/**
 * Whether a repository needs something that is not among its own files: it has a lockfile, or a manifest that names dependencies,
 * at the root, and brings no folder of them along.
 */
export function needsDependencies(files: readonly string[], texts: Readonly<Record<string, string | null>>): boolean {
  if (files.some((path) => INSTALLED.some((folder) => path.startsWith(`${folder}/`)))) return false;
  if (files.some((path) => LOCKFILES.includes(path))) return true;
  if (toPackageNames(texts['package.json'] ?? '', NODE_FIELDS).size > 0) return true;
  return PYTHON_DEPENDENCIES.test(texts['pyproject.toml'] ?? '');
}
