import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ChangedFile, Commit, Comparison } from './commit.ts';
import type { Content } from './content.ts';
import { createExclusively, type Exclusively } from './exclusively.ts';
import { PRE_RECEIVE } from './pre-receive.ts';
import { git, tryGit } from './run-git.ts';

/** Result of a three-way merge by git. No branch moves. */
export type MergeResult = { readonly kind: 'clean'; readonly treeSha: string } | { readonly kind: 'conflict' };

/** A bare repository. The caches hold only facts about object ids, which never change. */
export type GitRepository = {
  readonly dir: string;
  readonly commits: Map<string, Commit>;
  readonly merges: Map<string, MergeResult>;
  readonly comparisons: Map<string, Comparison | null>;
  readonly diffs: Map<string, readonly ChangedFile[]>;
  readonly contents: Map<string, Content | null>;
  /** Allows one writer of refs at a time. */
  readonly exclusively: Exclusively;
};

/** Git's id for "no object": the old value of a created ref, or the new value of a deleted one. */
export const ZERO_SHA = '0'.repeat(40);

const UNIT = '\u001F';
const COMMIT_FORMAT = ['%H', '%T', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x1F');

/** In the format that `git init` and `git config` write. */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
[http]
\treceivepack = true
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[receive]
\thideRefs = refs/pull
\tautogc = false
[transfer]
\thideRefs = refs/world
[gc]
\tauto = 0
`;

/** Creates the template of every repository: the result of `git init --bare`, without starting eight processes. */
export async function createTemplate(dir: string): Promise<void> {
  const folders = ['hooks', 'objects/info', 'objects/pack', 'refs/heads', 'refs/tags'];
  await Promise.all(folders.map((folder) => mkdir(path.join(dir, folder), { recursive: true })));
  await Promise.all([
    writeFile(path.join(dir, 'HEAD'), 'ref: refs/heads/main\n'),
    writeFile(path.join(dir, 'config'), CONFIG),
    writeFile(path.join(dir, 'hooks', 'pre-receive'), PRE_RECEIVE, { mode: 0o755 }),
  ]);
}

/** Copies the template (or another bare repository, for a fork) to `dir`. */
export async function createBareRepository(source: string, dir: string): Promise<GitRepository> {
  await cp(source, dir, { recursive: true });
  const caches = { commits: new Map(), merges: new Map(), comparisons: new Map(), diffs: new Map() };
  return { dir, ...caches, contents: new Map(), exclusively: createExclusively() };
}

/** The commit that a ref, branch name or SHA points to, or null. */
export async function resolveCommit(repository: GitRepository, ref: string): Promise<string | null> {
  if (ref.startsWith('-')) return null;
  if (repository.commits.has(ref)) return ref;
  const result = await tryGit(repository.dir, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
  return result.exitCode === 0 ? result.stdout.trim() : null;
}

/** The tip of a branch, or null. */
export async function branchTip(repository: GitRepository, branch: string): Promise<string | null> {
  return await readRef(repository, `refs/heads/${branch}`);
}

/**
 * The commit that a full ref points to, or null. Reads a loose ref from its file, which is a hundred times faster than
 * starting git. A packed ref is read by git.
 */
export async function readRef(repository: GitRepository, ref: string): Promise<string | null> {
  const file = path.join(repository.dir, path.normalize(`/${ref}`));
  const text = await readFile(file, 'utf8').catch(() => '');
  return /^[0-9a-f]{40}$/u.exec(text.trim())?.[0] ?? (await resolveCommit(repository, ref));
}

/** Sets a ref to a commit; `null` deletes it. */
export async function setRef(repository: GitRepository, ref: string, sha: string | null): Promise<void> {
  await git(repository.dir, sha === null ? ['update-ref', '-d', ref] : ['update-ref', ref, sha]);
}

/** Copies a ref and its objects from another repository (a fork). */
export async function copyRef(
  repository: GitRepository,
  from: GitRepository,
  refs: { from: string; to: string },
): Promise<void> {
  await git(repository.dir, ['fetch', '--quiet', '--no-tags', from.dir, `+${refs.from}:${refs.to}`]);
}

/** Reads a commit; throws if it does not exist. */
export async function readCommit(repository: GitRepository, sha: string): Promise<Commit> {
  const known = repository.commits.get(sha);
  if (known !== undefined) return known;
  const [commit] = await listCommits(repository, ['--max-count=1', sha]);
  if (commit === undefined) throw new Error(`No commit ${sha}`);
  return commit;
}

/** The commits that `git log <args>` lists, newest first. */
export async function listCommits(repository: GitRepository, args: readonly string[]): Promise<readonly Commit[]> {
  const output = await git(repository.dir, ['log', '-z', `--format=${COMMIT_FORMAT}`, ...args, '--']);
  const commits = output
    .split('\0')
    .filter((entry) => entry !== '')
    .map(toCommit);
  for (const commit of commits) repository.commits.set(commit.sha, commit);
  return commits;
}

function toCommit(entry: string): Commit {
  const [sha = '', treeSha = '', parents = '', ...rest] = entry.split(UNIT);
  const [authorName = '', authorEmail = '', authorDate = '', name = '', email = '', date = '', message = ''] = rest;
  return {
    sha,
    treeSha,
    parents: parents.split(' ').filter((parent) => parent !== ''),
    author: { name: authorName, email: authorEmail, date: authorDate },
    committer: { name, email, date },
    message: message.replace(/\n+$/u, ''),
  };
}

/** Merges two commits in memory (`git merge-tree`, git ≥ 2.38). */
export async function mergeCommits(repository: GitRepository, base: string, head: string): Promise<MergeResult> {
  const key = `${base} ${head}`;
  const known = repository.merges.get(key);
  if (known !== undefined) return known;
  const commit = await readCommit(repository, head);
  const merge: MergeResult = isChildOf(commit, base)
    ? { kind: 'clean', treeSha: commit.treeSha }
    : await computeMerge(repository, base, head);
  repository.merges.set(key, merge);
  return merge;
}

/** Whether `parent` is the commit's only parent, as for most heads of pull requests. Then git need not be asked. */
export function isChildOf(commit: Commit, parent: string): boolean {
  return commit.parents.length === 1 && commit.parents[0] === parent;
}

async function computeMerge(repository: GitRepository, base: string, head: string): Promise<MergeResult> {
  const result = await tryGit(repository.dir, [
    'merge-tree',
    '--write-tree',
    '--allow-unrelated-histories',
    base,
    head,
  ]);
  if (result.exitCode !== 0 && result.exitCode !== 1) throw new Error(`git merge-tree failed: ${result.stderr}`);
  const treeSha = result.stdout.split('\n')[0] ?? '';
  return result.exitCode === 0 ? { kind: 'clean', treeSha } : { kind: 'conflict' };
}

/** Whether `ancestor` is reachable from `descendant`. */
export async function isAncestor(repository: GitRepository, ancestor: string, descendant: string): Promise<boolean> {
  const result = await tryGit(repository.dir, ['merge-base', '--is-ancestor', ancestor, descendant]);
  return result.exitCode === 0;
}

/** A commit to write for an existing tree. */
export type NewCommit = {
  readonly treeSha: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly authorLogin: string;
};

/** Writes a commit object and returns its SHA. */
export async function writeCommit(repository: GitRepository, commit: NewCommit): Promise<string> {
  const email = `${commit.authorLogin}@users.noreply.github.test`;
  const parents = commit.parents.flatMap((parent) => ['-p', parent]);
  return await git(repository.dir, ['commit-tree', commit.treeSha, ...parents], {
    input: `${commit.message}\n`,
    env: { GIT_AUTHOR_NAME: commit.authorLogin, GIT_AUTHOR_EMAIL: email },
  });
}
