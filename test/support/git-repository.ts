import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { createGit, type GitOptions } from '../../src/adapters/git/create-git.ts';
import { DEFAULT_GIT_LIMITS, type GitLimits } from '../../src/adapters/git/git-limits.ts';
import { writeRepository } from '../../src/adapters/git/write-repository.ts';
import { parseRunId, parseSha, type RunId, type Sha, toPullRequestKey } from '../../src/core/model/ids.ts';
import type { RepositoryRef } from '../../src/core/model/pull-request.ts';
import type { Git, RemoteAccess, SessionRepository, TreeFolders } from '../../src/ports/git.ts';
import type { Log } from '../../src/ports/log.ts';
import { removeTree } from '../../src/system/remove-tree.ts';
import { NEVER } from './never.ts';

/** Content of one path in a commit: text, or text with a mode of git; null deletes the path. */
export type FileSpec = string | null | { readonly mode: '100755' | '120000' | '160000'; readonly text: string };

/** A bare repository that plays GitHub: real git, reached over the file transport. */
export interface RemoteRepository {
  readonly gitDir: string;
  readonly access: RemoteAccess;
  /** Runs git in it; returns stdout without the last newline. */
  readonly git: (args: readonly string[], stdin?: string) => Promise<string>;
  /** Commits `files` on top of `branch` (or of `parent`) and moves the branch there. */
  readonly commit: (
    branch: string,
    files: Readonly<Record<string, FileSpec>>,
    options?: { readonly parent?: Sha | null; readonly author?: string },
  ) => Promise<Sha>;
  /** A merge of `parents` whose tree is the first one's with `files` over it; moves the branch there. */
  readonly mergeCommit: (
    branch: string,
    parents: readonly [Sha, Sha],
    files: Readonly<Record<string, FileSpec>>,
  ) => Promise<Sha>;
  /** The head of a branch; null when there is none. */
  readonly head: (branch: string) => Promise<Sha | null>;
}

/** Repository 7 as the tests know it. */
export const REPOSITORY: RepositoryRef = { installationId: 1, repositoryId: 7, owner: 'octo', name: 'demo' };
/** Number of the pull request in these tests. */
export const PULL_NUMBER = 3;
/** Clock of these tests: 2026-11-27T00:00:00Z. */
export const NOW = Date.UTC(2026, 10, 27);

const AUTHOR = 'A Person <person@example.com>';

const ENV = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  LC_ALL: 'C',
};

/** A folder in memory where the system has one: repositories are thousands of small files. */
const MEMORY_FOLDER = '/dev/shm';

/** A temporary folder that other users may pass through (sandbox users must), with its end. */
export async function createTempFolder(options?: {
  readonly inMemory: boolean;
}): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const hasMemory = options?.inMemory === true && existsSync(MEMORY_FOLDER);
  const path = await realpath(await mkdtemp(join(hasMemory ? MEMORY_FOLDER : tmpdir(), 'ratchet-test-')));
  await chmod(path, 0o711);
  const remove = async (): Promise<void> => {
    // Most folders need no program: that is left for those that sandbox users or hostile tests wrote in.
    const isGone = await rm(path, { recursive: true, force: true }).then(
      () => true,
      () => false,
    );
    if (!isGone && !(await removeTree(path))) throw new Error(`${path} cannot be removed`);
  };
  return { path, remove };
}

/** An empty remote repository below `folder`. */
export async function createRemoteRepository(folder: string): Promise<RemoteRepository> {
  const gitDir = join(folder, 'remote.git');
  await writeRepository(gitDir, { bare: true, head: 'ref: refs/heads/main', alternates: null, mode: 0o755 });
  await mkdir(join(gitDir, 'hooks'));
  const git = async (args: readonly string[], stdin?: string): Promise<string> => {
    const options = { env: ENV, extendEnv: false, cwd: gitDir };
    const result = await execa('git', args, stdin === undefined ? options : { ...options, input: stdin });
    return result.stdout;
  };
  const head = async (branch: string): Promise<Sha | null> => {
    // Starting git takes a hundred times longer.
    const loose = await readFile(join(gitDir, 'refs/heads', branch), 'utf8').catch(() => null);
    if (loose !== null && /^[0-9a-f]{40}\n$/u.test(loose)) return parseSha(loose.trimEnd());
    const found = await git(['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads']);
    const line = found.split('\n').find((candidate) => candidate.slice(41) === `refs/heads/${branch}`);
    return line === undefined ? null : parseSha(line.slice(0, 40));
  };
  return {
    gitDir,
    access: { url: pathToFileURL(gitDir).href, token: { token: 'ghs_test', expiresAt: NOW + 3_600_000 } },
    git,
    head,
    commit: async (branch, files, options) => {
      const parent = options?.parent === undefined ? await head(branch) : options.parent;
      const author = options?.author ?? AUTHOR;
      return parseSha(
        await git(['fast-import', '--quiet', '--force'], toFastImport({ branch, files, parent, author })),
      );
    },
    mergeCommit: async (branch, [parent, merged], files) => {
      const author = AUTHOR;
      return parseSha(
        await git(['fast-import', '--quiet', '--force'], toFastImport({ branch, files, parent, merged, author })),
      );
    },
  };
}

function toFastImport(commit: {
  readonly branch: string;
  readonly files: Readonly<Record<string, FileSpec>>;
  /** A commit, or `:N` for the one with this mark. */
  readonly parent: string | null;
  readonly merged?: Sha;
  readonly author: string;
  /** Default: 1. */
  readonly mark?: number;
}): string {
  const mark = `:${String(commit.mark ?? 1)}`;
  const changes = Object.entries(commit.files).map(([path, spec]) => toChange(JSON.stringify(path), spec));
  const merge = commit.merged === undefined ? '' : `merge ${commit.merged}\n`;
  const from = commit.parent === null ? '' : `from ${commit.parent}\n${merge}`;
  const reset = commit.parent === null ? `reset refs/heads/${commit.branch}\n` : '';
  const message = `change ${Object.keys(commit.files).join(', ').slice(0, 60)}`;
  return `${reset}commit refs/heads/${commit.branch}\nmark ${mark}\ncommitter ${commit.author} 1764000000 +0000\n${toData(message)}${from}${changes.join('')}\nget-mark ${mark}\n`;
}

function toChange(path: string, spec: FileSpec): string {
  if (spec === null) return `D ${path}\n`;
  if (typeof spec === 'string') return `M 100644 inline ${path}\n${toData(spec)}`;
  if (spec.mode === '160000') return `M 160000 ${spec.text} ${path}\n`;
  return `M ${spec.mode} inline ${path}\n${toData(spec.text)}`;
}

function toData(text: string): string {
  return `data ${String(Buffer.byteLength(text))}\n${text}\n`;
}

/** A log that keeps its lines. */
export function createTestLog(): Log & { readonly lines: readonly string[] } {
  const lines: string[] = [];
  const write =
    (level: string): Log['info'] =>
    (fields, message) => {
      lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    };
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error'), lines };
  return { ...log, child: () => ({ ...log, child: () => createTestLog() }) };
}

/** The real adapter over `dataDir`; the file transport is allowed. */
export function createTestGit(
  dataDir: string,
  options?: Partial<Omit<GitOptions, 'limits'>> & { readonly limits?: Partial<GitLimits> },
): Git & TreeFolders {
  let count = 0;
  return createGit({
    dataDir,
    clock: { now: () => NOW },
    log: createTestLog(),
    newId: () => {
      count += 1;
      return `id${String(count)}x${String(Math.round(performance.now() * 1000))}`;
    },
    transports: { allowFile: true, plainHttpHosts: [] },
    ...options,
    limits: { ...DEFAULT_GIT_LIMITS, ...options?.limits },
  });
}

/** A remote with one pull request, and a session at its head. */
export interface TestSession {
  readonly root: string;
  readonly remote: RemoteRepository;
  readonly git: Git & TreeFolders;
  readonly repository: SessionRepository;
  /** Folder with the head's files and a `.git`, as an agent's site has it. */
  readonly workDir: string;
  readonly runId: RunId;
  readonly headSha: Sha;
  readonly signal: AbortSignal;
  readonly remove: () => Promise<void>;
}

/** Name of the pull request's branch. */
export const HEAD_BRANCH = 'fix-it';

/** Makes `TestSession`: the pull request's branch adds `files` to what `main` has (a README and `common`). */
export async function createTestSession(
  files: Readonly<Record<string, FileSpec>>,
  options?: Parameters<typeof createTestGit>[1] & {
    readonly common?: Readonly<Record<string, FileSpec>>;
    readonly inMemory?: boolean;
  },
): Promise<TestSession> {
  const { path: root, remove } = await createTempFolder({ inMemory: options?.inMemory ?? true });
  const remote = await createRemoteRepository(root);
  const headSha = await commitPullRequest(remote, { 'README.md': '# demo\n', ...options?.common }, files);
  const git = createTestGit(join(root, 'data'), options);
  const signal = NEVER;
  const want = { number: PULL_NUMBER, headSha, baseRef: 'main' };
  const mirror = await git.ensureMirror(REPOSITORY, want, remote.access, signal);
  const runId = parseRunId('session-1');
  const key = toPullRequestKey(REPOSITORY.repositoryId, PULL_NUMBER);
  const repository = await git.prepareSession(mirror, { id: runId, key, headSha }, signal);
  const workDir = join(repository.controlDir, '..', 'sites', 'work');
  const tree = { treeSha: headSha, folder: workDir, masked: [], hasHistory: true };
  await git.placeTree(repository, tree, signal);
  return { root, remote, git, repository, workDir, runId, headSha, signal, remove };
}

/** Commits `common` to `main` and `files` on top of it to the pull request's branch, in one process. Returns the head. */
async function commitPullRequest(
  remote: RemoteRepository,
  common: Readonly<Record<string, FileSpec>>,
  files: Readonly<Record<string, FileSpec>>,
): Promise<Sha> {
  const base = toFastImport({ branch: 'main', files: common, parent: null, author: AUTHOR });
  const head = toFastImport({ branch: HEAD_BRANCH, files, parent: ':1', mark: 2, author: AUTHOR });
  const pull = `reset refs/pull/${String(PULL_NUMBER)}/head\nfrom :2\n\n`;
  const marks = await remote.git(['fast-import', '--quiet', '--force'], `${base}${head}${pull}`);
  return parseSha(marks.split('\n')[1] ?? '');
}

/** Makes the work folder anew, with another tree. */
export async function placeAgain({ git, repository, workDir, signal }: TestSession, treeSha: Sha): Promise<void> {
  await removeTree(workDir);
  await git.placeTree(repository, { treeSha, folder: workDir, masked: [], hasHistory: true }, signal);
}

/** Imports the work folder, commits and keeps it: what comes before a push. */
export async function keepWorkspace(session: TestSession, message = 'fix: it\n'): Promise<Sha> {
  const { git, repository, workDir, signal, headSha } = session;
  const { treeSha } = await git.importTree(
    repository,
    { folder: workDir, exclude: [], maxPatchBytes: 100_000, against: repository.headSha },
    signal,
  );
  const identity = { name: 'a', email: 'a@example.org' };
  const commit = { treeSha, message, parents: [headSha], identity, at: NOW };
  const commitSha = await git.createCommit(repository, commit, signal);
  await git.keepCommit(repository, { commitSha, as: 'intent' }, signal);
  return commitSha;
}
