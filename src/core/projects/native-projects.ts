import { toCanonicalPath, toParents } from '../engines/canonical-scope.ts';
import { createGlobMatcher } from '../engines/glob-matcher.ts';
import { isForeign, type RepositoryFacts, toFolder, toName, toPathIn } from './repository-facts.ts';

/** The modules of Go in a repository. */
export interface GoModules {
  /** Folders, sorted, without those of other people's code. */
  readonly folders: readonly string[];
  /** Why Go refuses to run in the module of a folder; null if it does not. */
  readonly findObstacle: (folder: string) => string | null;
}

/** Modules are the folders of `go.mod`. Go refuses one below a `go.work` that does not use it. */
export function readGoModules({ files, texts }: RepositoryFacts): GoModules {
  const works = new Map(
    files.filter((path) => toName(path) === 'go.work').map((path) => [toFolder(path), readUses(path, texts)] as const),
  );
  return {
    folders: files
      .filter((path) => toName(path) === 'go.mod')
      .map(toFolder)
      .filter((folder) => !isForeign(folder)),
    findObstacle: (folder) => {
      const above = [folder, ...toParents(folder)].find((up) => works.has(up));
      if (above === undefined) return null;
      const uses = works.get(above) ?? null;
      return uses === null || uses.has(folder) ? null : `${toPathIn(above, 'go.work')} does not use it`;
    },
  };
}

/** Folders in the `use` directives, relative to the root; null if the file cannot be read. */
function readUses(path: string, texts: RepositoryFacts['texts']): ReadonlySet<string> | null {
  const text = texts[path] ?? null;
  if (text === null) return null;
  const plain = text.replaceAll(/\/\/.*$/gmu, '');
  const blocks = [...plain.matchAll(/^\s*use\s*\(([^)]*)\)/gmu)].flatMap(([, block = '']) => block.split('\n'));
  const lines = [...plain.matchAll(/^\s*use\s+([^(\s].*)$/gmu)].map(([, line = '']) => line);
  const folders = [...blocks, ...lines].map((word) => word.trim().replaceAll(/^["`]|["`]$/gu, ''));
  return new Set(
    folders.filter((folder) => folder !== '').flatMap((folder) => toCanonicalPath(`${toFolder(path)}/${folder}`) ?? []),
  );
}

const WORKSPACE = /^\s*\[workspace[\].]/mu;

/** The folders that cargo runs in: of each workspace its root, and of each other package its own. Sorted. */
export function readCargoRoots({ files, texts }: RepositoryFacts): readonly string[] {
  const manifests = files.filter((path) => toName(path) === 'Cargo.toml').map(toFolder);
  const workspaces = new Map(
    manifests.flatMap((folder) => {
      const text = texts[toPathIn(folder, 'Cargo.toml')] ?? '';
      return WORKSPACE.test(text) ? [[folder, readExcluded(text)] as const] : [];
    }),
  );
  return manifests.filter((folder) => {
    if (isForeign(folder)) return false;
    if (workspaces.has(folder)) return true;
    const above = toParents(folder).find((up) => workspaces.has(up));
    if (above === undefined) return true;
    const relative = above === '.' ? folder : folder.slice(above.length + 1);
    return workspaces.get(above)?.(relative) === true;
  });
}

/** Whether a workspace excludes a folder below it. */
function readExcluded(text: string): (folder: string) => boolean {
  const list = /^\s*exclude\s*=\s*\[([^\]]*)\]/mu.exec(text)?.[1] ?? '';
  const globs = [...list.matchAll(/["']([^"']+)["']/gu)].map(([, glob = '']) => glob.replace(/\/+$/u, ''));
  return createGlobMatcher(globs.flatMap((glob) => [glob, `${glob}/**`]));
}
