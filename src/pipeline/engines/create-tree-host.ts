import { DEPENDENCY_FILES, needsDependencies } from '../../core/engines/needs-dependencies.ts';
import { sha256 } from '../../core/hash/sha256.ts';
import { decodeText } from '../../core/text/decode-text.ts';
import type { EngineHost } from '../../ports/engine-host.ts';
import type { SiteRequest } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import { SEALED } from '../prepare/with-site.ts';
import type { Side } from '../quality/quality-side.ts';
import { createEngineHost } from './create-engine-host.ts';
import { createTreeReader } from './create-tree-reader.ts';

/** A tree of a pull request and its dependencies. */
export type TreeGround = Pick<Side, 'repository' | 'treeSha' | 'dependencies' | 'isSetupFailed'>;

/** The code of the pull request may write a report of any size. */
const MAX_REPORT_BYTES = 64 * 1024 * 1024;
const MAX_MANIFEST_BYTES = 1024 * 1024;

/**
 * An `EngineHost` over a tree of a pull request. Tracked files are read from git, never from a folder that code of the pull
 * request could write to.
 */
export async function createTreeHost(
  deps: Pick<Deps, 'git' | 'log' | 'sites'>,
  ground: TreeGround,
  signal: AbortSignal,
): Promise<EngineHost> {
  const { repository, treeSha, dependencies: prepared } = ground;
  // They are never fetched (T24), so what is a submodule is an empty folder in the site.
  const submodules = await deps.git.listSubmodules(repository, signal, treeSha);
  const empty = new Set(submodules);
  const files = (await deps.git.listFiles(repository, signal, treeSha)).filter((path) => !empty.has(path));
  const readTracked = createTreeReader(deps.git, ground, signal);
  const tracked = new Set(files);
  const tree = { repository, treeSha, masked: [], hasHistory: false };
  return createEngineHost(deps, {
    request: { tree, dependencies: withoutOwnPrograms(deps, prepared), inputs: {}, programs: [], ...SEALED },
    maxReportBytes: MAX_REPORT_BYTES,
    files: files.toSorted(),
    submodules: submodules.map((path) => ({ path, isHere: false })),
    dependencies: await findDependencies(deps, ground, files, signal),
    // What `setup` made is part of the content that tools read.
    contentHash: () => Promise.resolve(prepared === null ? treeSha : sha256(JSON.stringify([treeSha, prepared.key]))),
    has: async (path) =>
      tracked.has(path) || files.some((file) => file.startsWith(`${path}/`)) || (await prepared?.has(path)) === true,
    readText: async (path, maxBytes) => {
      if (tracked.has(path)) return readTracked(path, maxBytes);
      const bytes = await prepared?.readFile(path, maxBytes);
      return bytes === undefined || bytes === null ? null : decodeText(bytes);
    },
  });
}

/** Code of the pull request made what lies below the root. It must not replace the machine's engines. */
function withoutOwnPrograms(
  { sites }: Pick<Deps, 'sites'>,
  prepared: TreeGround['dependencies'],
): SiteRequest['dependencies'] {
  if (prepared === null) return null;
  const { key, paths, programPath = [] } = prepared;
  return { key, paths, programPath: programPath.filter((folder) => !folder.startsWith(`${sites.layout.root}/`)) };
}

/** Without `setup` no dependencies are prepared. That counts as `ready` if the files need none. */
async function findDependencies(
  { git }: Pick<Deps, 'git'>,
  { repository, treeSha, dependencies, isSetupFailed }: TreeGround,
  files: readonly string[],
  signal: AbortSignal,
): Promise<EngineHost['dependencies']> {
  if (isSetupFailed) return 'missing';
  if ((dependencies?.paths.length ?? 0) > 0) return 'ready';
  const want = { treeish: treeSha, paths: DEPENDENCY_FILES, maxBytes: MAX_MANIFEST_BYTES };
  return needsDependencies(files, await git.readFiles(repository, want, signal)) ? 'missing' : 'ready';
}
