import { randomBytes } from 'node:crypto';
import { access, mkdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createEngineCache } from '../adapters/files/create-engine-cache.ts';
import { openLocalRepository } from '../adapters/local/open-local-repository.ts';
import { takeScratch } from '../adapters/local/take-scratch.ts';
import { createUnsafeSandbox } from '../adapters/sandbox/create-unsafe-sandbox.ts';
import { createCheckoutFiles } from '../adapters/sites/checkout-files.ts';
import { type CheckoutSitesOptions, createCheckoutSites } from '../adapters/sites/create-checkout-sites.ts';
import { needsDependencies } from '../core/engines/needs-dependencies.ts';
import { sha256 } from '../core/hash/sha256.ts';
import { ConfigError } from '../core/model/errors.ts';
import { createEngineHost } from '../pipeline/engines/create-engine-host.ts';
import type { EngineCache } from '../ports/engine-cache.ts';
import type { EngineHost } from '../ports/engine-host.ts';
import type { LocalRepository } from '../ports/local-repository.ts';
import type { Log } from '../ports/log.ts';
import { findCacheFolder } from '../system/find-cache-folder.ts';

/** What a check at a terminal stands on. */
export interface CheckGround {
  readonly repository: LocalRepository;
  readonly host: EngineHost;
  readonly cache: EngineCache;
  /**
   * A second host over the files of `commit`, with the texts that `toOverlay` gives in their place (null: no such file) and with
   * the dependencies of the checkout: where something is compared, both sides are looked at by the same tools and settings.
   */
  readonly openBase: (
    commit: string,
    toOverlay: (files: readonly string[]) => Promise<Readonly<Record<string, string | null>>>,
    signal: AbortSignal,
  ) => Promise<BaseGround>;
  readonly close: () => Promise<void>;
}

/** What a base is checked on. */
export interface BaseGround {
  readonly host: EngineHost;
  /** Files of the commit, as they were before others were put in their place. */
  readonly tracked: readonly string[];
}

/** What it is made from. */
export interface CheckGroundInput {
  readonly folder: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the running Node. */
  readonly nodePath: string;
  readonly pid: number;
  readonly log: Log;
}

/** Variables of the person that tools get: where programs and homes are, and how text is written. */
const PASSED_ON = [
  ...['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TMPDIR', 'USER', 'LOGNAME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME'],
  ...['CARGO_HOME', 'RUSTUP_HOME', 'GOPATH', 'GOROOT', 'GOCACHE', 'GOMODCACHE', 'PYENV_ROOT', 'VIRTUAL_ENV'],
] as const;
/** Folders of dependencies, made by a package manager and ignored by git. */
const DEPENDENCY_FOLDERS = ['node_modules', '.venv', 'venv'] as const;
const CACHED_RUNS = 500;

/** Puts together what `ratchet check` runs on; `close` removes what it wrote. */
export async function openCheckGround(input: CheckGroundInput, signal: AbortSignal): Promise<CheckGround> {
  const { variables, nodePath, log, pid } = input;
  const cacheFolder = requireCacheFolder(input);
  const repository = await openLocalRepository(input.folder, variables, signal);
  const { root } = repository;
  const files = await repository.listFiles(signal);
  const dependencies = await findDependencies(root);
  const scratch = await takeScratch(join(cacheFolder, 'check', sha256(root).slice(0, 16)), { pid });
  const sandbox = createUnsafeSandbox({
    slots: 1,
    toolsDir: scratch.folder,
    log,
    newId: () => randomBytes(15).toString('hex'),
  });
  const env = Object.fromEntries(
    PASSED_ON.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]]])),
  );
  const shared = { sandbox, nodePath, env, dependencies, log };
  return {
    repository,
    host: createCheckoutHost({ ...shared, root, files, scratch: scratch.folder }),
    cache: createEngineCache({ folder: join(cacheFolder, 'runs'), maxEntries: CACHED_RUNS }),
    openBase: async (commit, toOverlay, stop) => {
      const folder = join(scratch.folder, 'base');
      await mkdir(folder);
      const placed = await repository.placeCommit(commit, folder, stop);
      const listed = await overlayFiles(folder, placed, await toOverlay(placed));
      const base = await realpath(folder);
      await linkDependencies(root, base, files);
      const host = createCheckoutHost({
        ...shared,
        root: base,
        files: listed,
        scratch: join(scratch.folder, 'of-base'),
      });
      return { host, tracked: placed };
    },
    close: scratch.release,
  };
}

/** A checkout as an `EngineHost`: nothing is promised of it but that its files are those of the person. */
export function createCheckoutHost({
  files,
  dependencies,
  log,
  ...options
}: CheckoutSitesOptions & Pick<EngineHost, 'files' | 'dependencies'> & { readonly log: Log }): EngineHost {
  const unsealed = { network: 'host', limits: 'none', isolation: 'none' } as const;
  return createEngineHost(
    { log, sites: createCheckoutSites(options) },
    {
      ...{ files, dependencies, ...createCheckoutFiles(options.root, files) },
      request: { tree: null, dependencies: null, inputs: {}, programs: [], ...unsealed },
    },
  );
}

/** What a package.json at the root names is in node_modules; where the rest is installed on this machine, its tools know. */
async function findDependencies(root: string): Promise<EngineHost['dependencies']> {
  const text = await readFile(join(root, 'package.json'), 'utf8').catch(() => null);
  if (!needsDependencies([], { 'package.json': text })) return 'ready';
  return (await isThere(join(root, 'node_modules'))) ? 'ready' : 'missing';
}

/** Returns the paths that are there then, sorted. */
async function overlayFiles(
  folder: string,
  placed: readonly string[],
  overlay: Readonly<Record<string, string | null>>,
): Promise<readonly string[]> {
  const paths = new Set(placed);
  for (const [path, text] of Object.entries(overlay)) {
    // Before it is written: what lies there may be a link that leads elsewhere.
    await rm(join(folder, path), { force: true });
    paths.delete(path);
    if (text === null) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
    paths.add(path);
  }
  return [...paths].toSorted();
}

/** By links, of the root and of each folder with a package.json: what the tools are started from must be the same on both sides. */
async function linkDependencies(from: string, to: string, files: readonly string[]): Promise<void> {
  const folders = files.filter((path) => path.endsWith('/package.json')).map(dirname);
  for (const folder of ['.', ...folders]) {
    for (const name of DEPENDENCY_FOLDERS) {
      const source = join(from, folder, name);
      // A folder that the base does not have, or that it tracks, needs no link.
      if (await isThere(source)) await symlink(source, join(to, folder, name)).catch(() => undefined);
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** @throws ConfigError where nothing says where that is. */
function requireCacheFolder(input: CheckGroundInput): string {
  const found = findCacheFolder(input);
  if (found === null) throw new ConfigError(['there is no place for caches: set HOME or RATCHET_CACHE_DIR']);
  return found;
}
