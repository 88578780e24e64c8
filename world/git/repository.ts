import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ChangedFile, Commit, Comparison } from './commit.ts';
import type { Content } from './content.ts';
import { createExclusively, type Exclusively } from './exclusively.ts';
import { readLooseRef, writeLooseRef } from './loose-refs.ts';
import { createObjectReader, type ObjectReader } from './object-reader.ts';
import { parseCommit } from './parse-commit.ts';
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
  readonly objects: ObjectReader;
  /** Allows one writer of refs at a time. */
  readonly exclusively: Exclusively;
};

/** Git's id for "no object": the old value of a created ref, or the new value of a deleted one. */
export const ZERO_SHA = '0'.repeat(40);

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
  return { dir, ...caches, contents: new Map(), objects: createObjectReader(dir), exclusively: createExclusively() };
}

/** The commit that a ref, branch name or SHA points to, or null. */
export async function resolveCommit(repository: GitRepository, ref: string): Promise<string | null> {
  if (ref.startsWith('-')) return null;
  if (repository.commits.has(ref)) return ref;
  return (await repository.objects.find(`${ref}^{commit}`))?.sha ?? null;
}

/** The tip of a branch, or null. */
export async function branchTip(repository: GitRepository, branch: string): Promise<string | null> {
  return await readRef(repository, `refs/heads/${branch}`);
}

/** The commit that a full ref points to, or null. */
export async function readRef(repository: GitRepository, ref: string): Promise<string | null> {
  return readLooseRef(repository.dir, ref) ?? (await resolveCommit(repository, ref));
}

/** Sets a ref to a commit (a SHA or another ref); `null` deletes it. */
export async function setRef(repository: GitRepository, ref: string, to: string | null): Promise<void> {
  if (to === null) {
    await git(repository.dir, ['update-ref', '-d', ref]);
    return;
  }
  const sha = await readRef(repository, to);
  if (sha === null) throw new Error(`No commit ${to} for ${ref}`);
  if (!writeLooseRef(repository.dir, ref, sha)) await git(repository.dir, ['update-ref', ref, sha]);
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
  const object = await repository.objects.read(`${sha}^{commit}`);
  if (object === null) throw new Error(`No commit ${sha}`);
  const commit = parseCommit(object);
  repository.commits.set(commit.sha, commit);
  return commit;
}

/** The commits that `git rev-list <args>` lists, newest first. */
export async function listCommits(repository: GitRepository, args: readonly string[]): Promise<readonly Commit[]> {
  const output = await git(repository.dir, ['rev-list', ...args, '--']);
  const shas = output.split('\n').filter((sha) => sha !== '');
  return await Promise.all(shas.map((sha) => readCommit(repository, sha)));
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

/** Whether `parent` is the commit's only parent, as for most heads and pushes. Then git need not be asked. */
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
  if (isChildOf(await readCommit(repository, descendant), ancestor)) return true;
  const result = await tryGit(repository.dir, ['merge-base', '--is-ancestor', ancestor, descendant]);
  return result.exitCode === 0;
}

/** Who makes a commit. */
export type CommitAuthor = { readonly name: string; readonly email: string };

/** A commit to write for an existing tree. */
export type NewCommit = {
  readonly treeSha: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: CommitAuthor;
};

/** Writes a commit object and returns its SHA. */
export async function writeCommit(repository: GitRepository, commit: NewCommit): Promise<string> {
  const parents = commit.parents.flatMap((parent) => ['-p', parent]);
  return await git(repository.dir, ['commit-tree', commit.treeSha, ...parents], {
    input: `${commit.message}\n`,
    env: { GIT_AUTHOR_NAME: commit.author.name, GIT_AUTHOR_EMAIL: commit.author.email },
  });
}
