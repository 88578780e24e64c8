import type { EngineSpec } from '../model/engine.ts';
import { createGlobMatcher } from './glob-matcher.ts';
import { toPackageNames } from './to-package-names.ts';

/** Files at the root that tell which engines a repository uses; read before detecting, null or left out where missing. */
export const DETECTION_FILES = ['package.json', 'pyproject.toml', 'setup.cfg', 'tox.ini'] as const;

const PYTHON_FILES = ['pyproject.toml', 'setup.cfg', 'tox.ini'] as const;
const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;

/** What a repository shows of itself. */
export interface RepositoryFacts {
  /** Paths of the repository, canonical. */
  readonly files: readonly string[];
  /** Texts of `DETECTION_FILES`, by path. */
  readonly texts: Readonly<Record<string, string | null>>;
}

/**
 * Ids of the engines that the repository shows to use, sorted: one sign is enough. Engines for coverage and format are never among
 * them: the first runs all tests once more, the second is a matter of taste, so both are asked for by name. A text that cannot be
 * parsed shows nothing.
 */
export function detectEngines(specs: readonly EngineSpec[], facts: RepositoryFacts): readonly string[] {
  const packages = toPackageNames(facts.texts['package.json'] ?? '', DEPENDENCY_FIELDS);
  const lines = PYTHON_FILES.flatMap((path) => (facts.texts[path] ?? '').split('\n'));
  return specs
    .filter(({ kind }) => kind !== 'coverage' && kind !== 'format')
    .filter(({ detection: { files = [], nodePackage, pythonSection = [] } }) => {
      if (nodePackage !== undefined && packages.has(nodePackage)) return true;
      if (lines.some((line) => pythonSection.some((section) => line.startsWith(section)))) return true;
      return facts.files.some(createGlobMatcher(files));
    })
    .map(({ id }) => id)
    .toSorted();
}
