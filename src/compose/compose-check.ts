import { randomBytes } from 'node:crypto';
import { access, mkdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { createEngineCache } from '../adapters/files/create-engine-cache.ts';
import { openLocalRepository } from '../adapters/local/open-local-repository.ts';
import { takeScratch } from '../adapters/local/take-scratch.ts';
import { createUnsafeSandbox } from '../adapters/sandbox/create-unsafe-sandbox.ts';
import { createCheckoutFiles } from '../adapters/sites/checkout-files.ts';
import { type CheckoutSitesOptions, createCheckoutSites } from '../adapters/sites/create-checkout-sites.ts';
import { hashSurroundings } from '../adapters/sites/hash-surroundings.ts';
import { needsDependencies } from '../core/engines/needs-dependencies.ts';
import { sha256 } from '../core/hash/sha256.ts';
import { ConfigError } from '../core/model/errors.ts';
import { createEngineHost } from '../pipeline/engines/create-engine-host.ts';
import type { EngineCache } from '../ports/engine-cache.ts';
import type { EngineHost } from '../ports/engine-host.ts';
import type { LocalRepository, PlacedCommit } from '../ports/local-repository.ts';
import type { Log } from '../ports/log.ts';
import { findCacheFolder } from '../system/find-cache-folder.ts';

/** Everything that `ratchet check` runs on. */
export interface CheckGround {
  readonly repository: LocalRepository;
  readonly host: EngineHost;
  readonly cache: EngineCache;
  /**
   * A second host over the files of `commit`, with the texts from `toOverlay` in their place (null: remove the file) and the
   * dependencies of the checkout. So both sides are checked with the same tools and settings.
   */
  readonly openBase: (
    commit: string,
    toOverlay: (files: readonly string[]) => Promise<Readonly<Record<string, string | null>>>,
    signal: AbortSignal,
  ) => Promise<BaseGround>;
  readonly close: () => Promise<void>;
}

export interface BaseGround {
  readonly host: EngineHost;
  /** The commit, before the overlay. */
  readonly placed: PlacedCommit;
}

export interface CheckGroundInput {
  readonly folder: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the running Node. */
  readonly nodePath: string;
  readonly pid: number;
  readonly log: Log;
}

/** Environment variables that tools get: locations of programs and homes, and the text encoding. */
const MAX_REPORT_BYTES = 256 * 1024 * 1024;
const PASSED_ON = [
  ...['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TMPDIR', 'USER', 'LOGNAME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME'],
  ...['CARGO_HOME', 'RUSTUP_HOME', 'GOPATH', 'GOROOT', 'GOCACHE', 'GOMODCACHE', 'PYENV_ROOT', 'VIRTUAL_ENV'],
] as const;
/** Dependency folders that package managers create and git ignores. */
const DEPENDENCY_FOLDERS = ['node_modules', '.venv', 'venv'] as const;
const CACHED_RUNS = 500;

/** Sets up what `ratchet check` runs on. `close` removes the files it wrote. */
export async function openCheckGround(input: CheckGroundInput, signal: AbortSignal): Promise<CheckGround> {
  const { variables, nodePath, log, pid } = input;
  const cacheFolder = requireCacheFolder(input);
  const repository = await openLocalRepository(input.folder, variables, signal);
  const { root } = repository;
  const [files, submodules] = await Promise.all([repository.listFiles(signal), repository.listSubmodules(signal)]);
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
  const activePython = await findActivePython(variables['VIRTUAL_ENV']);
  const shared = { sandbox, nodePath, env, dependencies, activePython, log };
  const home = variables['HOME'] ?? null;
  let hash: Promise<string | null> | null = null;
  const surroundings = (): Promise<string | null> => (hash ??= hashSurroundings({ root, files, home }));
  return {
    repository,
    host: createCheckoutHost({ ...shared, root, files, submodules, scratch: scratch.folder, surroundings }),
    cache: createEngineCache({ folder: join(cacheFolder, 'runs'), maxEntries: CACHED_RUNS }),
    openBase: async (commit, toOverlay, stop) => {
      const folder = join(scratch.folder, 'base');
      await mkdir(folder);
      const placed = await repository.placeCommit(commit, folder, stop);
      const listed = await overlayFiles(folder, placed.files, await toOverlay(placed.files));
      const base = await realpath(folder);
      await linkDependencies(root, base, files);
      const host = createCheckoutHost({
        ...shared,
        root: base,
        files: listed,
        scratch: join(scratch.folder, 'of-base'),
        // All that is not in the commit comes from the checkout.
        surroundings: async () => {
          const here = await surroundings();
          return here === null ? null : `${here}\0${placed.content}`;
        },
      });
      return { host, placed };
    },
    close: scratch.release,
  };
}

/** An `EngineHost` over a checkout, without isolation or limits. */
export function createCheckoutHost({
  files,
  submodules = [],
  dependencies,
  activePython = null,
  log,
  surroundings,
  ...options
}: CheckoutSitesOptions &
  Pick<EngineHost, 'files' | 'submodules' | 'dependencies' | 'activePython'> & {
    readonly log: Log;
    /** See `createCheckoutFiles`. */
    readonly surroundings: () => Promise<string | null>;
  }): EngineHost {
  const unsealed = { network: 'host', limits: 'none', isolation: 'none' } as const;
  return createEngineHost(
    { log, sites: createCheckoutSites(options) },
    {
      ...{ files, submodules, dependencies, activePython, ...createCheckoutFiles(options.root, files, surroundings) },
      request: { tree: null, dependencies: null, inputs: {}, programs: [], ...unsealed },
      maxReportBytes: MAX_REPORT_BYTES,
    },
  );
}

/** Whether the packages of the root package.json are in node_modules. Other tools find their own dependencies. */
async function findDependencies(root: string): Promise<EngineHost['dependencies']> {
  const text = await readFile(join(root, 'package.json'), 'utf8').catch(() => null);
  if (!needsDependencies([], { 'package.json': text })) return 'ready';
  return (await isThere(join(root, 'node_modules'))) ? 'ready' : 'missing';
}

/** The interpreter of the active virtual environment. */
async function findActivePython(folder: string | undefined): Promise<string | null> {
  if (folder === undefined || !isAbsolute(folder)) return null;
  const path = join(folder, 'bin/python');
  return (await isThere(path)) ? path : null;
}

/** Applies the overlay and returns the remaining paths, sorted. */
async function overlayFiles(
  folder: string,
  placed: readonly string[],
  overlay: Readonly<Record<string, string | null>>,
): Promise<readonly string[]> {
  const paths = new Set(placed);
  for (const [path, text] of Object.entries(overlay)) {
    // Remove first: the existing entry may be a link to another place.
    await rm(join(folder, path), { force: true });
    paths.delete(path);
    if (text === null) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
    paths.add(path);
  }
  return [...paths].toSorted();
}

/** Links the dependency folders of the root and of each folder with a package.json, so that both sides use the same tools. */
async function linkDependencies(from: string, to: string, files: readonly string[]): Promise<void> {
  const folders = files.filter((path) => path.endsWith('/package.json')).map(dirname);
  for (const folder of ['.', ...folders]) {
    for (const name of DEPENDENCY_FOLDERS) {
      const source = join(from, folder, name);
      // No link is needed if the base lacks the parent folder or tracks the dependencies.
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

/** @throws ConfigError if no variable names a cache folder. */
function requireCacheFolder(input: CheckGroundInput): string {
  const found = findCacheFolder(input);
  if (found === null) throw new ConfigError(['there is no place for caches: set HOME or RATCHET_CACHE_DIR']);
  return found;
}
