import { toParents } from '../engines/canonical-scope.ts';
import { toPackageNames } from '../engines/to-package-names.ts';
import { isForeign, isInstalled, type RepositoryFacts, toFolder, toName, toPathIn } from './repository-facts.ts';

const NODE_FIELDS = ['dependencies', 'devDependencies'] as const;
const INSTALLED = 'node_modules';

/** A folder below the root whose package.json names packages, and where those may be installed. */
export interface NeedyFolder {
  readonly folder: string;
  /** One is enough: the packages of a workspace are installed above it. */
  readonly places: readonly string[];
}

/** The folders below the root that need packages of npm. Of the root itself the host knows it. */
export function findNeedy({ files, texts }: RepositoryFacts): readonly NeedyFolder[] {
  return files.flatMap((path) => {
    const folder = toFolder(path);
    if (toName(path) !== 'package.json' || folder === '.' || isInstalled(path) || isForeign(folder)) return [];
    if (toPackageNames(texts[path] ?? '', NODE_FIELDS).size === 0) return [];
    return [{ folder, places: [folder, ...toParents(folder)].map((up) => toPathIn(up, INSTALLED)) }];
  });
}
