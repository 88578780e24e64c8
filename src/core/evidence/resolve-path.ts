import { toWorkspacePath } from './workspace-path.ts';

/** The path of a file of the repository that a path in a log means; null if that is not sure. */
export type ResolvePath = (raw: string) => string | null;

/** A class of Java is named with the folders of its package, which stand below one of these. */
const SOURCE_FOLDERS = ['src/main/', 'src/test/'];
const OF_A_PACKAGE = /\.(java|kt|scala|groovy)$/u;
const NOT_OURS = /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.cargo|\.m2|vendor)\//u;

/** A longer path is none that a person wants to see. In UTF-16 code units. */
const MAX_LENGTH = 500;

/** Paths of the repository that a path in a log may mean, the likeliest first. */
export function toCandidates(raw: string): readonly string[] {
  const path = toWorkspacePath(raw);
  if (path === null || path.length > MAX_LENGTH || NOT_OURS.test(path)) return [];
  const language = OF_A_PACKAGE.exec(path)?.[1]?.replace('kt', 'kotlin');
  const isPackaged = language !== undefined && !path.startsWith('src/');
  return isPackaged ? [path, ...SOURCE_FOLDERS.map((folder) => `${folder}${language}/${path}`)] : [path];
}

/** Finds the first candidate among the paths that are known to exist. */
export function createCandidateFinder(existing: ReadonlySet<string>): ResolvePath {
  return (raw) => toCandidates(raw).find((path) => existing.has(path)) ?? null;
}

/**
 * Finds the tracked path that a path in a log means: the path itself, or the only one that ends with it, because tools name paths
 * relative to the folder that they ran in.
 */
export function createPathResolver(tracked: readonly string[]): ResolvePath {
  const findCandidate = createCandidateFinder(new Set(tracked));
  const byName = Map.groupBy(tracked, (path) => path.slice(path.lastIndexOf('/') + 1));
  return (raw) => {
    const exact = findCandidate(raw);
    if (exact !== null) return exact;
    const [path] = toCandidates(raw);
    if (path === undefined) return null;
    const name = path.slice(path.lastIndexOf('/') + 1);
    const [only, ...others] = (byName.get(name) ?? []).filter((one) => one.endsWith(`/${path}`));
    return only === undefined || others.length > 0 ? null : only;
  };
}
