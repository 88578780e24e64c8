import { rm } from 'node:fs/promises';
import path from 'node:path';
import { authorOf, toFullName } from '../find.ts';
import { branchTip, createBareRepository, setRef } from '../git/repository.ts';
import { revertCommit } from '../git/revert.ts';
import { type FileChanges, writeFiles } from '../git/write-files.ts';
import { withRefChanges } from '../operations/refs-changed.ts';
import type { Repository } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { ensureAccount } from './people-control.ts';
import { requireRepository, requireSha } from './require.ts';

/** A commit that a person pushes. A new branch starts at `from` (default: `main`). */
export type CommitRequest = {
  readonly repo: string;
  readonly branch: string;
  readonly files: FileChanges;
  readonly from?: string;
  readonly message?: string;
  readonly login?: string;
};

/** A commit of a branch that a person reverts. */
export type RevertRequest = {
  readonly repo: string;
  readonly branch: string;
  readonly sha?: string;
  readonly login?: string;
};

/** Repositories and pushes by people. Every push has the effects of a push over HTTP. */
export type CodeControl = {
  /** Creates a repository with one commit on `main`; private by default. Returns `owner/name`. */
  readonly createRepository: (options: {
    readonly owner: string;
    readonly name: string;
    readonly files?: Readonly<Record<string, string>>;
    readonly private?: boolean;
  }) => Promise<string>;
  /** Forks a repository to another owner. Returns `owner/name` of the fork. */
  readonly createFork: (repo: string, owner: string) => Promise<string>;
  /** Makes a repository read-only. */
  readonly archive: (repo: string) => void;
  /** Commits to a branch and pushes it. Returns the new SHA. */
  readonly commit: (request: CommitRequest) => Promise<string>;
  /** Replaces the tip of a branch with a new commit on top of `from` (a branch or SHA). Returns the new SHA. */
  readonly forcePush: (request: CommitRequest & { readonly from: string }) => Promise<string>;
  /** Moves a branch to an existing commit, e.g. an older one. */
  readonly moveBranch: (repo: string, branch: string, to: string, login?: string) => Promise<void>;
  /** Reverts `sha` (default: the tip) of the branch and pushes. Returns the new SHA. */
  readonly revert: (request: RevertRequest) => Promise<string>;
  /** Deletes a branch. Pull requests from it are closed. */
  readonly deleteBranch: (repo: string, branch: string, login?: string) => Promise<void>;
};

type NewRepository = Pick<Repository, 'ownerLogin' | 'name' | 'isPrivate' | 'parentId'>;

async function addRepository(world: WorldContext, row: NewRepository, source: string): Promise<Repository> {
  const id = world.nextId();
  ensureAccount(world, row.ownerLogin);
  const repository: Repository = {
    ...row,
    id,
    isArchived: false,
    collaborators: new Map(),
    protections: [],
    createdAt: world.now(),
    git: await createBareRepository(source, path.join(world.root, 'repositories', `${id}.git`)),
  };
  world.state.repositories.set(id, repository);
  return repository;
}

async function push(world: WorldContext, request: CommitRequest, parent: string | null): Promise<string> {
  const repository = requireRepository(world, request.repo);
  const login = ensureAccount(world, request.login ?? repository.ownerLogin);
  const message = request.message ?? `Change ${Object.keys(request.files).join(', ')}`;
  return await withRefChanges(world, repository, login, async () => {
    const start = parent ?? (await branchTip(repository.git, request.branch));
    const from = start ?? (await requireSha(world, repository, request.from ?? 'main'));
    const sha = await writeFiles(repository.git, {
      parent: from,
      files: request.files,
      message,
      author: authorOf(world.state, login),
    });
    await setRef(repository.git, `refs/heads/${request.branch}`, sha);
    return sha;
  });
}

async function revert(world: WorldContext, request: RevertRequest): Promise<string> {
  const repository = requireRepository(world, request.repo);
  const login = ensureAccount(world, request.login ?? repository.ownerLogin);
  return await withRefChanges(world, repository, login, async () => {
    const onto = await requireSha(world, repository, request.branch);
    const sha = await revertCommit(repository.git, {
      sha: request.sha ?? onto,
      onto,
      author: authorOf(world.state, login),
    });
    await setRef(repository.git, `refs/heads/${request.branch}`, sha);
    return sha;
  });
}

/** A branch and its new target; null deletes it. */
type BranchMove = { readonly repo: string; readonly branch: string; readonly to: string | null };

async function setBranch(
  world: WorldContext,
  { repo, branch, to }: BranchMove,
  login: string | undefined,
): Promise<void> {
  const repository = requireRepository(world, repo);
  const actor = ensureAccount(world, login ?? repository.ownerLogin);
  const sha = to === null ? null : await requireSha(world, repository, to);
  await withRefChanges(world, repository, actor, async () => {
    await setRef(repository.git, `refs/heads/${branch}`, sha);
  });
}

async function fork(world: WorldContext, repo: string, owner: string): Promise<string> {
  const parent = requireRepository(world, repo);
  const row = { ownerLogin: owner, name: parent.name, isPrivate: parent.isPrivate, parentId: parent.id };
  const added = await addRepository(world, row, parent.git.dir);
  await rm(path.join(added.git.dir, 'refs', 'pull'), { recursive: true, force: true });
  return toFullName(added);
}

/** Creates the controls. New repositories are copied from `template`, a bare repository. */
export function createCodeControl(world: WorldContext, template: string): CodeControl {
  return {
    createRepository: async ({ owner, name, ...options }) => {
      const row = { ownerLogin: owner, name, isPrivate: options.private ?? true, parentId: null };
      const repository = await addRepository(world, row, template);
      const files = options.files ?? { 'README.md': `# ${name}\n` };
      await withRefChanges(world, repository, owner, async () => {
        const commit = { parent: null, files, message: 'Initial commit', author: authorOf(world.state, owner) };
        await setRef(repository.git, 'refs/heads/main', await writeFiles(repository.git, commit));
      });
      return toFullName(repository);
    },
    createFork: async (repo, owner) => await fork(world, repo, owner),
    archive: (repo) => {
      const repository = requireRepository(world, repo);
      world.state.repositories.set(repository.id, { ...repository, isArchived: true });
      world.changed();
    },
    commit: async (request) => await push(world, request, null),
    forcePush: async (request) => {
      const repository = requireRepository(world, request.repo);
      return await push(world, request, await requireSha(world, repository, request.from));
    },
    revert: async (request) => await revert(world, request),
    moveBranch: async (repo, branch, to, login) => {
      await setBranch(world, { repo, branch, to }, login);
    },
    deleteBranch: async (repo, branch, login) => {
      await setBranch(world, { repo, branch, to: null }, login);
    },
  };
}
