import { authorOf } from '../find.ts';
import { listCommits } from '../git/repository.ts';
import { type FileChanges, writeBranches } from '../git/write-files.ts';
import {
  changePull,
  closePull,
  type MergeOutcome,
  mergePull,
  openPull,
  reopenPull,
  requirePull,
  setLabel,
  setQueued,
  updateBranch,
} from '../operations/change-pulls.ts';
import { readPullTips } from '../operations/read-pull-code.ts';
import { withRefChanges } from '../operations/refs-changed.ts';
import type { Pull, Repository } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { ensureAccount } from './people-control.ts';
import { requireRepository, requireSha } from './require.ts';

/** A pull request by repository and number, and who acts (default: the repository's owner). */
export type PullAct = { readonly repo: string; readonly number: number; readonly login?: string };

/** Pull requests to open at once. `files` returns the changes of the branch with that index, from 0. */
export type ManyPulls = {
  readonly repo: string;
  readonly count: number;
  readonly name: string;
  readonly files: (index: number) => FileChanges;
  readonly login?: string;
};

/** What people do with pull requests. */
export type PullControl = {
  /** Opens a pull request and returns its number. `headRepo` is the fork that holds the branch, if any. */
  readonly openPullRequest: (options: {
    readonly repo: string;
    readonly head: string;
    readonly headRepo?: string;
    readonly base?: string;
    readonly title?: string;
    readonly body?: string | null;
    readonly login?: string;
    readonly draft?: boolean;
  }) => Promise<number>;
  /**
   * Pushes `count` new branches at once (`name-1`, `name-2` …, one commit each on top of `main`) and opens a pull
   * request from each. Has the effects of single calls in a quarter of the time. Returns the numbers.
   */
  readonly openPullRequests: (many: ManyPulls) => Promise<readonly number[]>;
  /** Merges with a merge commit. */
  readonly merge: (act: PullAct) => Promise<MergeOutcome>;
  /** Presses "Update branch". */
  readonly updateBranch: (act: PullAct) => Promise<MergeOutcome>;
  readonly closePullRequest: (act: PullAct) => Promise<void>;
  readonly reopenPullRequest: (act: PullAct) => Promise<void>;
  readonly setDraft: (act: PullAct & { readonly draft: boolean }) => Promise<void>;
  readonly label: (act: PullAct & { readonly name: string }) => Promise<void>;
  readonly unlabel: (act: PullAct & { readonly name: string }) => Promise<void>;
  /** Changes title, body or base branch. */
  readonly editPullRequest: (
    act: PullAct & { readonly title?: string; readonly body?: string; readonly base?: string },
  ) => Promise<void>;
  /** Adds it to the merge queue, which never merges here. */
  readonly enqueue: (act: PullAct) => Promise<void>;
  readonly dequeue: (act: PullAct & { readonly reason?: string }) => Promise<void>;
  readonly setAutoMerge: (act: PullAct & { readonly on: boolean }) => Promise<void>;
};

/** The pull request, its repository and the acting login. */
export function requireAct(
  world: WorldContext,
  act: PullAct,
): {
  readonly repository: Repository;
  readonly pull: Pull;
  readonly login: string;
} {
  const repository = requireRepository(world, act.repo);
  const login = ensureAccount(world, act.login ?? repository.ownerLogin);
  return { repository, pull: requirePull(world, repository, act.number), login };
}

type DraftAct = PullAct & { readonly draft: boolean };
type AutoMergeAct = PullAct & { readonly on: boolean };
type EditAct = Parameters<PullControl['editPullRequest']>[0];

async function open(world: WorldContext, options: Parameters<PullControl['openPullRequest']>[0]): Promise<number> {
  const repository = requireRepository(world, options.repo);
  const pull = await openPull(world, {
    repository,
    headRepository: options.headRepo === undefined ? repository : requireRepository(world, options.headRepo),
    headBranch: options.head,
    baseBranch: options.base ?? 'main',
    title: options.title ?? options.head,
    body: options.body ?? null,
    authorLogin: ensureAccount(world, options.login ?? repository.ownerLogin),
    isDraft: options.draft ?? false,
  });
  return pull.number;
}

async function openMany(world: WorldContext, many: ManyPulls): Promise<readonly number[]> {
  const repository = requireRepository(world, many.repo);
  const authorLogin = ensureAccount(world, many.login ?? repository.ownerLogin);
  const branches = Array.from({ length: many.count }, (_, index) => {
    const name = `${many.name}-${index + 1}`;
    return { name, files: many.files(index), message: `Change ${name}` };
  });
  await withRefChanges(world, repository, authorLogin, async () => {
    const parent = await requireSha(world, repository, 'main');
    const shas = await writeBranches(repository.git, parent, { branches, author: authorOf(world.state, authorLogin) });
    // Loads all commits in one call. Otherwise each would be read when its branch is announced.
    await listCommits(repository.git, ['--no-walk=unsorted', ...shas]);
  });
  const numbers: number[] = [];
  for (const { name } of branches) {
    numbers.push(await open(world, { repo: many.repo, head: name, login: authorLogin }));
  }
  return numbers;
}

async function setDraft(world: WorldContext, act: DraftAct): Promise<void> {
  const { pull, login } = requireAct(world, act);
  const action = act.draft ? 'converted_to_draft' : 'ready_for_review';
  await changePull(world, pull, { isDraft: act.draft }, { action, senderLogin: login });
}

async function edit(world: WorldContext, act: EditAct): Promise<void> {
  const { pull, login } = requireAct(world, act);
  const baseSha = act.base === undefined ? '' : (await readPullTips(world, pull)).baseSha;
  const extra = {
    changes: {
      ...(act.title === undefined ? {} : { title: { from: pull.title } }),
      ...(act.body === undefined ? {} : { body: { from: pull.body ?? '' } }),
      ...(act.base === undefined ? {} : { base: { ref: { from: pull.baseBranch }, sha: { from: baseSha } } }),
    },
  };
  const { title = pull.title, body = pull.body, base = pull.baseBranch } = act;
  await changePull(world, pull, { title, body, baseBranch: base }, { action: 'edited', senderLogin: login, extra });
}

async function setAutoMerge(world: WorldContext, act: AutoMergeAct): Promise<void> {
  const { pull, login } = requireAct(world, act);
  const autoMerge = act.on ? { enabledAt: world.now(), byLogin: login } : null;
  const action = act.on ? 'auto_merge_enabled' : 'auto_merge_disabled';
  const extra = { reason: act.on ? '' : 'Auto-merge was disabled manually' };
  await changePull(world, pull, { autoMerge }, { action, senderLogin: login, extra });
}

async function label(world: WorldContext, act: PullAct & { readonly name: string }, isOn: boolean): Promise<void> {
  const { pull, login } = requireAct(world, act);
  await setLabel(world, pull, { name: act.name, isOn }, login);
}

export function createPullControl(world: WorldContext): PullControl {
  return {
    openPullRequest: async (options) => await open(world, options),
    openPullRequests: async (many) => await openMany(world, many),
    merge: async (act) => {
      const { pull, login } = requireAct(world, act);
      return await mergePull(world, pull, login);
    },
    updateBranch: async (act) => {
      const { pull, login } = requireAct(world, act);
      return await updateBranch(world, pull, login, null);
    },
    closePullRequest: async (act) => {
      const { pull, login } = requireAct(world, act);
      await closePull(world, pull, login);
    },
    reopenPullRequest: async (act) => {
      const { pull, login } = requireAct(world, act);
      await reopenPull(world, pull, login);
    },
    setDraft: async (act) => {
      await setDraft(world, act);
    },
    label: async (act) => {
      await label(world, act, true);
    },
    unlabel: async (act) => {
      await label(world, act, false);
    },
    editPullRequest: async (act) => {
      await edit(world, act);
    },
    enqueue: async (act) => {
      const { pull, login } = requireAct(world, act);
      await setQueued(world, pull, { isQueued: true }, login);
    },
    dequeue: async (act) => {
      const { pull, login } = requireAct(world, act);
      await setQueued(world, pull, { isQueued: false, reason: act.reason ?? 'MANUAL' }, login);
    },
    setAutoMerge: async (act) => {
      await setAutoMerge(world, act);
    },
  };
}
