import type { EngineSpec } from '../model/engine.ts';
import { createGlobMatcher } from './glob-matcher.ts';
import { toPackageNames } from './to-package-names.ts';

/** Files at the root that show which engines a repository uses. Read before detection; null or left out if missing. */
export const DETECTION_FILES = ['package.json', 'pyproject.toml', 'setup.cfg', 'tox.ini'] as const;

const PYTHON_FILES = ['pyproject.toml', 'setup.cfg', 'tox.ini'] as const;
const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;

/** Ids of the engines that can be detected, sorted. */
export function listDetectable(specs: readonly EngineSpec[]): readonly string[] {
  return specs
    .filter(isDetectable)
    .map(({ id }) => id)
    .toSorted();
}

function isDetectable({ kind }: EngineSpec): boolean {
  return kind !== 'coverage' && kind !== 'format';
}

/** What detection reads of a repository. */
export interface RepositoryFacts {
  /** Canonical paths of the repository. */
  readonly files: readonly string[];
  /** Texts of `DETECTION_FILES`, by path. */
  readonly texts: Readonly<Record<string, string | null>>;
}

/**
 * Sorted ids of the engines that the repository seems to use; one sign is enough. Coverage and format engines are never detected
 * and must be asked for by name: coverage runs all tests again, and format is a matter of taste. A file that cannot be parsed
 * shows nothing.
 */
export function detectEngines(specs: readonly EngineSpec[], facts: RepositoryFacts): readonly string[] {
  const packages = toPackageNames(facts.texts['package.json'] ?? '', DEPENDENCY_FIELDS);
  const lines = PYTHON_FILES.flatMap((path) => (facts.texts[path] ?? '').split('\n'));
  return specs
    .filter(isDetectable)
    .filter(({ detection: { files = [], nodePackage, pythonSection = [] } }) => {
      if (nodePackage !== undefined && packages.has(nodePackage)) return true;
      if (lines.some((line) => pythonSection.some((section) => line.startsWith(section)))) return true;
      return facts.files.some(createGlobMatcher(files));
    })
    .map(({ id }) => id)
    .toSorted();
}
