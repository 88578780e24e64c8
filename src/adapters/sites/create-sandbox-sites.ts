import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toKeptEnvironment } from '../../core/install/install-environment.ts';
import { SiteError } from '../../core/model/errors.ts';
import { requireOwnName } from '../../core/text/require-own-name.ts';
import type { NewId } from '../../ports/clock.ts';
import type { TreeFolders } from '../../ports/git.ts';
import type { Log } from '../../ports/log.ts';
import type { Mount, Sandbox, SandboxSlot } from '../../ports/sandbox.ts';
import type { Site, SiteCommand, SitePromise, SiteRequest, Sites } from '../../ports/site.ts';
import { removeTree } from '../../system/remove-tree.ts';
import { createDependencySets, type DependencySets, type DependencySetsOptions } from './create-dependency-sets.ts';
import { hasLeft, readLeft, removeLeft } from './read-left.ts';
import { cannotKeep, createRunGuard, requirePromises, withOutput } from './site-parts.ts';
import { requireHomeFiles, writeHomeFiles } from './write-home-files.ts';

/** Options of `createSandboxSites`. */
export interface SandboxSitesOptions extends DependencySetsOptions {
  readonly sandbox: Sandbox;
  readonly trees: TreeFolders;
  /** The operator's programs by name. Resolved when a site that needs them is opened. */
  readonly programs: Readonly<Record<string, () => readonly Mount[]>>;
  /** Folders of the operator, each with a `bin`, and the read-only mounts by which every site shows them. */
  readonly toolchains: { readonly folders: readonly string[]; readonly mounts: readonly Mount[] };
  /** Whether the sandbox isolates network, limits and host files. */
  readonly isIsolated: boolean;
  /** Promises that the operator waives: requests that need them are not refused. */
  readonly waived: readonly SitePromise[];
  readonly log: Log;
  readonly newId: NewId;
}

/** Promises that hold without isolation. */
const OF_TREES: readonly SitePromise[] = ['fresh_tree', 'take_tree', 'dependencies'];
/** Promises that need isolation, and that an operator may waive. Relays are not among them: they need a network of their own. */
export const OF_ISOLATION: readonly SitePromise[] = ['no_network', 'limits', 'isolation', 'inputs'];

/** Absolute path of the tree in every site. */
export const ROOT = '/workspace';
/** Absolute path of the home folder of commands. */
const HOME = '/home/agent';
export const INPUTS = '/ratchet/evidence';
const ARTIFACTS = '/ratchet/artifacts';
const PASS_THROUGH_MODE = 0o711;
const OPEN_MODE = 0o755;
const PRIVATE_MODE = 0o700;

/** An open site. */
interface Opened {
  readonly options: SandboxSitesOptions;
  readonly sets: DependencySets;
  readonly request: SiteRequest;
  readonly tree: NonNullable<SiteRequest['tree']>;
  readonly slot: SandboxSlot;
  /** Host folder of the site with `work`, `artifacts`, `inputs`, `output` (never mounted) and the homes. */
  readonly folder: string;
  readonly programs: readonly Mount[];
}

/** Creates sites in a sandbox on this machine. Each has its own checkout and slot, and dependencies as read-only mounts. */
export function createSandboxSites(options: SandboxSitesOptions): Sites {
  const { sandbox, isIsolated, waived, toolchains } = options;
  const sets = createDependencySets(options);
  const promises = isIsolated ? [...OF_TREES, ...OF_ISOLATION, 'relays' as const] : OF_TREES;
  return {
    promises,
    layout: {
      root: ROOT,
      inputs: INPUTS,
      artifacts: () => ARTIFACTS,
      nodePath: `${sandbox.toolsDir}/bin/node`,
      toolchains: toolchains.folders,
    },
    probe: sandbox.probe,
    findDependencies: sets.find,
    sweep: sets.sweep,
    open: async (request, signal) => {
      requirePromises(request, [...promises, ...waived]);
      const { tree } = request;
      if (tree === null) throw cannotKeep('there is no tree');
      const programs = request.programs.flatMap((name) => toPrograms(options, name));
      const folder = join(options.dataDir, 'sessions', tree.repository.runId, 'sites', options.newId());
      const slot = await sandbox.acquireSlot(signal);
      const opened: Opened = { options, sets, request, tree, slot, folder, programs };
      try {
        await makeFolders(opened, signal);
      } catch (error) {
        await remove(opened);
        throw error;
      }
      return createSite(opened);
    },
  };
}

function toPrograms({ programs }: SandboxSitesOptions, name: string): readonly Mount[] {
  const mounts = programs[name];
  if (mounts === undefined) throw cannotKeep(`there are no programs ${JSON.stringify(name)}`);
  return mounts();
}

async function makeFolders({ options, request, tree, slot, folder }: Opened, signal: AbortSignal): Promise<void> {
  const { sandbox, trees } = options;
  await mkdir(folder, { recursive: true, mode: PASS_THROUGH_MODE });
  for (const name of ['artifacts', 'inputs', 'output']) await mkdir(join(folder, name), { mode: OPEN_MODE });
  for (const [name, text] of Object.entries(request.inputs)) {
    await writeFile(join(folder, 'inputs', requireOwnName(name)), text, { mode: 0o644 });
  }
  const { repository, ...want } = tree;
  await trees.placeTree(repository, { ...want, folder: join(folder, 'work') }, signal);
  for (const name of ['work', 'artifacts']) await sandbox.giveToSlot(join(folder, name), slot);
}

/** What cannot be removed now is removed with its session. */
async function remove({ options, slot, folder, request }: Opened): Promise<void> {
  if (!(await removeTree(folder))) options.log.warn({ site: request.name }, 'a site could not be removed');
  options.sandbox.releaseSlot(slot);
}

function createSite(opened: Opened): Site {
  const { options, sets, request, tree, folder } = opened;
  const work = join(folder, 'work');
  const guard = createRunGuard(request.network);
  let homes = 0;
  let isTrusted = true;
  let closing: Promise<void> | null = null;
  return {
    run: (command, signal) =>
      guard.run(command, async () => {
        const isHomeEmpty = !command.keepsHome || homes === 0;
        const homeFiles = requireHomeFiles(command, isHomeEmpty);
        if (isHomeEmpty) homes += 1;
        for (const path of command.removes) await removeLeft(join(folder, 'artifacts'), path);
        await writeArtifacts(join(folder, 'artifacts'), command.artifactFiles ?? {});
        const home = await makeHome(opened, homes, homeFiles);
        const sandboxCommand = await toSandboxCommand(opened, command, home);
        const outcome = await withOutput(join(folder, 'output'), (files) =>
          options.sandbox.run({ ...sandboxCommand, ...files }, signal),
        );
        isTrusted &&= outcome.processesLeft === 0;
        return outcome;
      }),
    takeTree: async (want, signal) => {
      if (!isTrusted) throw new SiteError('NOT_TRUSTED', 'processes were left; the tree is not to be trusted');
      const { repository, treeSha: against } = tree;
      return options.trees.importTree(repository, { ...want, against, folder: work }, signal);
    },
    readFile: async (path, maxBytes) => {
      const prepared = await findPrepared(opened, path);
      return prepared === null ? readLeft(...toHost(folder, path), maxBytes) : prepared.readFile(path, maxBytes);
    },
    has: async (path) => (await findPrepared(opened, path))?.has(path) ?? hasLeft(...toHost(folder, path)),
    keepDependencies: (key, tracked) => sets.keep(key, work, tracked),
    close: () => {
      guard.close();
      return (closing ??= remove(opened));
    },
  };
}

/** Code of the pull request may have left a link of that name, which must not be followed. */
async function writeArtifacts(artifacts: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await removeLeft(artifacts, requireOwnName(name));
    await writeFile(join(artifacts, name), text, { mode: 0o644, flag: 'wx' });
  }
}

/** The site's dependency set that contains the path; null if the path is part of the site itself. */
async function findPrepared({ request, sets }: Opened, path: string): ReturnType<DependencySets['find']> {
  const { dependencies } = request;
  const isPrepared = dependencies?.paths.some((entry) => path === entry || path.startsWith(`${entry}/`)) ?? false;
  return dependencies !== null && isPrepared ? sets.find(dependencies.key) : null;
}

/** The host folder and the path below it. */
function toHost(folder: string, path: string): readonly [string, string] {
  if (path.startsWith(`${ARTIFACTS}/`)) return [join(folder, 'artifacts'), path.slice(ARTIFACTS.length + 1)];
  return [join(folder, 'work'), path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : path];
}

/** Returns the home folder with this number. A new one holds nothing but `files`, and is closed to everybody but its slot. */
async function makeHome(
  { options, slot, folder }: Opened,
  number: number,
  files: ReturnType<typeof requireHomeFiles>,
): Promise<string> {
  const home = join(folder, `home-${String(number)}`);
  const isNew = (await mkdir(home, { recursive: true, mode: PRIVATE_MODE })) !== undefined;
  if (!isNew) return home;
  await writeHomeFiles(home, files);
  await options.sandbox.giveToSlot(home, slot);
  return home;
}

async function toSandboxCommand(
  { options, sets, request, tree, slot, folder, programs }: Opened,
  { argv, env, cwd, stdin, timeoutMs, maxOutputBytes, onStdout }: SiteCommand,
  home: string,
): Promise<Omit<Parameters<Sandbox['run']>[0], 'stdoutPath' | 'stderrPath'>> {
  const { objectsDir } = tree.repository.mirror;
  const work = join(folder, 'work');
  const { dependencies } = request;
  const history: readonly Mount[] = [
    { source: join(work, '.git'), target: `${ROOT}/.git`, writable: false },
    { source: objectsDir, target: objectsDir, writable: false },
  ];
  return {
    ...{ argv, stdin, slot, timeoutMs, maxOutputBytes, relays: request.relays ?? [] },
    ...(onStdout === undefined ? {} : { onStdout }),
    env: {
      ...toEnvironment(options, dependencies?.programPath ?? []),
      ...toKeptEnvironment(dependencies?.paths ?? [], ROOT),
      ...env,
    },
    // Also the homes of earlier commands, which are removed with the site.
    countedFolders: [folder],
    cwd: cwd === '.' ? ROOT : `${ROOT}/${cwd}`,
    mounts: [
      { source: work, target: ROOT, writable: true },
      { source: home, target: HOME, writable: true },
      { source: join(folder, 'artifacts'), target: ARTIFACTS, writable: true },
      { source: join(folder, 'inputs'), target: INPUTS, writable: false },
      ...(tree.hasHistory ? history : []),
      ...(dependencies === null ? [] : await sets.toMounts(dependencies, { root: ROOT, work })),
      ...programs,
      ...options.toolchains.mounts,
    ],
  };
}

/** The basic environment of commands: nothing is inherited, nothing is secret. */
function toEnvironment(
  { sandbox: { toolsDir }, toolchains }: Pick<SandboxSitesOptions, 'sandbox' | 'toolchains'>,
  programPath: readonly string[],
): Readonly<Record<string, string>> {
  // Toolchains come last: what the machine lacks is found in them, and a version is chosen with `programPath`.
  const provided = toolchains.folders.map((folder) => `${folder}/bin`);
  return {
    HOME,
    PATH: [...programPath, `${toolsDir}/bin`, '/usr/local/bin', '/usr/bin', '/bin', ...provided].join(':'),
    LANG: 'C.UTF-8',
    CI: 'true',
    TMPDIR: '/tmp',
    NO_COLOR: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}
