import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { ConfigError } from '../../core/model/errors.ts';
import { parseSha, type Sha } from '../../core/model/ids.ts';
import type { RunSource, RunSources } from '../../ports/run-source.ts';
import { createLocalGit, toGitOptions, toPaths, type Variables } from './local-git.ts';

const BRANCH = 'head';
const PREFIX = 'ratchet';
const OBJECT_NAME = /^[0-9a-f]{40}$/u;
const NOBODY: Sha = parseSha('0'.repeat(40));

/** git with no configuration but its own, of nobody. */
const OWN = {
  ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_ATTR_NOSYSTEM: '1' },
  ...{ HOME: '/nonexistent', GIT_NO_LAZY_FETCH: '1' },
} as const;
const QUIET = [
  ...[
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'core.untrackedCache=false',
    'core.alternateRefsCommand=true',
  ],
  ...['gc.auto=0', 'maintenance.auto=false'],
].flatMap((setting) => ['-c', setting]);

/**
 * Repositories of a person. The only commands that run with their configuration ask for paths and names, and create one branch, with
 * hooks off; everything else runs in repositories of our own that borrow their objects.
 */
export function createRunSources(variables: Variables): RunSources {
  return {
    open: async (folder, scratch, signal) => openSource({ folder, scratch, variables }, signal),
    addBranch: async (source, add, signal) => addBranch({ ...source, ...add, variables }, signal),
  };
}

async function openSource(
  { folder, scratch, variables }: { readonly folder: string; readonly scratch: string; readonly variables: Variables },
  signal: AbortSignal,
): Promise<RunSource> {
  const ask = createAsk(folder, variables, signal);
  const root = await ask(`${folder} is no checkout of a git repository`, 'rev-parse', '--show-toplevel');
  const inRoot = createAsk(root, variables, signal);
  const head = await inRoot(`${root} has no commit yet`, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  if (!OBJECT_NAME.test(head)) throw new ConfigError([`${root} names its objects by SHA-256, which is not supported`]);
  const path = async (name: string): Promise<string> =>
    resolve(root, await inRoot(`${root} cannot be read`, 'rev-parse', '--git-path', name));
  if ((await inRoot(`${root} cannot be read`, 'rev-parse', '--is-shallow-repository')) !== 'false')
    throw new ConfigError([`${root} is a shallow clone: get its history with git fetch --unshallow first`]);
  const taken = await inRoot('', 'rev-parse', '--verify', '--quiet', `refs/heads/${PREFIX}`).catch(() => null);
  if (taken !== null)
    throw new ConfigError([`${root} has a branch ${PREFIX}, so no branch ${PREFIX}/run-… can be made: rename it`]);
  const headSha = parseSha(head);
  const objectsDir = await path('objects');
  const copy = join(scratch, 'source.git');
  await borrow(copy, { headSha, objectsDir });
  const uncommitted = await listUncommitted(
    { copy, root, index: await path('index'), exclude: await path('info/exclude'), variables },
    signal,
  );
  return { root, headSha, objectsDir, uncommitted, url: `file://${encodeURI(copy)}`, branch: BRANCH };
}

type Ask = (problem: string, ...args: readonly string[]) => Promise<string>;

function createAsk(cwd: string, variables: Variables, signal: AbortSignal): Ask {
  const git = createLocalGit(cwd, withoutRepository(variables));
  return async (problem, ...args) => {
    try {
      return (await git([...QUIET, ...args], signal)).replace(/\n$/u, '');
    } catch (error) {
      signal.throwIfAborted();
      const detail = /detected dubious ownership/u.test(String(error)) ? ': git does not trust its owner' : '';
      throw new ConfigError([`${problem}${detail}`]);
    }
  };
}

/** A hook, or a script that git starts, is told its repository in variables. The person names the folder. */
function withoutRepository(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !name.startsWith('GIT_')));
}

/** A bare repository of our own over the objects of another one. */
async function borrow(
  copy: string,
  { headSha, objectsDir }: { readonly headSha: Sha; readonly objectsDir: string },
): Promise<void> {
  await rm(copy, { recursive: true, force: true });
  await mkdir(join(copy, 'objects/info'), { recursive: true, mode: 0o700 });
  await mkdir(join(copy, 'refs/heads'), { recursive: true });
  await mkdir(join(copy, 'info'));
  await writeFile(join(copy, 'config'), '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n');
  await writeFile(join(copy, 'objects/info/alternates'), `${JSON.stringify(objectsDir)}\n`);
  await writeFile(join(copy, `refs/heads/${BRANCH}`), `${headSha}\n`);
  await writeFile(join(copy, 'HEAD'), `ref: refs/heads/${BRANCH}\n`);
}

interface Checkout {
  readonly copy: string;
  readonly root: string;
  readonly index: string;
  readonly exclude: string;
  readonly variables: Variables;
}

/** Filters and hooks of the repository could run code, so its configuration is not used: files that a filter changes count as changed. */
async function listUncommitted(
  { copy, root, index, exclude, variables }: Checkout,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const ownIndex = join(copy, 'index');
  await copyFile(index, ownIndex).catch(() => undefined);
  await writeFile(join(copy, 'info/exclude'), await readFile(exclude, 'utf8').catch(() => ''));
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=all'];
  const env = { GIT_DIR: copy, GIT_WORK_TREE: root, GIT_INDEX_FILE: ownIndex };
  try {
    const git = createLocalGit(root, { ...OWN, PATH: variables['PATH'] });
    const listed = await git([...QUIET, '-c', 'core.bare=false', ...args], signal, env);
    return toPaths(listed).map((entry) => entry.slice(3));
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** Writes a pack of what the person lacks into their objects, then the branch. */
async function addBranch(
  {
    root,
    headSha,
    objectsDir,
    commitSha,
    name,
    from,
    variables,
  }: RunSource & {
    readonly commitSha: Sha;
    readonly name: string;
    readonly from: string;
    readonly variables: Variables;
  },
  signal: AbortSignal,
): Promise<'made' | 'taken'> {
  const ref = `refs/heads/${name}`;
  const ask = createAsk(root, variables, signal);
  const there = await ask('', 'rev-parse', '--verify', '--quiet', ref).catch(() => null);
  if (there !== null) return there === commitSha ? 'made' : 'taken';
  const env = {
    ...{ ...OWN, PATH: variables['PATH'], GIT_DIR: from },
    ...{ GIT_OBJECT_DIRECTORY: objectsDir, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(from, 'objects')) },
  };
  await stat(objectsDir);
  await mkdir(join(objectsDir, 'pack'), { recursive: true });
  const input = `${commitSha}\n^${headSha}\n`;
  const pack = ['pack-objects', '--quiet', '--revs', join(objectsDir, 'pack/pack')];
  await execa('git', [...QUIET, ...pack], {
    ...{ ...toGitOptions(from, env, signal), stdin: 'pipe', input },
  });
  await ask(`${root}: the branch ${name} cannot be made`, 'update-ref', '--no-deref', ref, commitSha, NOBODY);
  return 'made';
}
