import { checkRunsOf, latestCheckRuns, ofPull, rowOf } from '../find.ts';
import { isLineChanged } from '../git/compare.ts';
import { readText } from '../git/read-content.ts';
import { listCommits } from '../git/repository.ts';
import { requirePull } from '../operations/change-pulls.ts';
import { type Mergeability, readMergeability, readPullTips } from '../operations/read-pull-code.ts';
import type { CheckRun, IssueComment, Pull, Review, ReviewComment, WorkflowRun } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { requireRepository, requireSha } from './require.ts';

/** A pull request with its code state. */
export type PullView = Pull & {
  readonly headSha: string;
  readonly baseSha: string;
  readonly mergeability: Mergeability;
};

/** A review thread with its comments. */
export type ThreadView = {
  readonly id: number;
  readonly path: string;
  readonly line: number;
  readonly isResolved: boolean;
  readonly isOutdated: boolean;
  readonly comments: readonly ReviewComment[];
};

/** A check run with the slug of its app. */
export type CheckView = CheckRun & { readonly app: string };

/** A commit in the result of `log`. */
export type CommitView = {
  readonly sha: string;
  readonly message: string;
  readonly author: string;
  readonly parents: readonly string[];
};

/** Reads state for assertions. `at` is a SHA, a branch or a pull request number. */
export type Readers = {
  readonly pullRequest: (repo: string, number: number) => Promise<PullView>;
  /** The newest check run of each name, or all with `filter: 'all'`; oldest first. */
  readonly checkRuns: (
    repo: string,
    at: string | number,
    filter?: { readonly name?: string; readonly app?: string; readonly filter?: 'latest' | 'all' },
  ) => Promise<readonly CheckView[]>;
  readonly workflowRuns: (repo: string) => readonly WorkflowRun[];
  /** The log of a job. The job has the id of its check run. */
  readonly jobLog: (jobId: number) => string;
  readonly comments: (repo: string, number: number) => readonly IssueComment[];
  readonly reviews: (repo: string, number: number) => readonly Review[];
  readonly threads: (repo: string, number: number) => Promise<readonly ThreadView[]>;
  /** Reactions to a comment of either kind, as `content by login`. */
  readonly reactions: (commentId: number) => readonly string[];
  readonly headSha: (repo: string, at: string | number) => Promise<string>;
  /** The commits of a branch, newest first, at most `max` (default 50). */
  readonly log: (repo: string, at: string | number, max?: number) => Promise<readonly CommitView[]>;
  /** The text of a file, or null. */
  readonly fileAt: (repo: string, at: string | number, path: string) => Promise<string | null>;
};

export function createReaders(world: WorldContext): Readers {
  const { state } = world;
  const requireNumbered = (repo: string, number: number): Pull =>
    requirePull(world, requireRepository(world, repo), number);
  return {
    pullRequest: async (repo, number) => {
      const pull = requireNumbered(repo, number);
      const tips = await readPullTips(world, pull);
      return { ...pull, ...tips, mergeability: await readMergeability(world, pull, tips) };
    },
    checkRuns: async (repo, at, filter = {}) => {
      const repository = requireRepository(world, repo);
      const all = checkRunsOf(state, repository.id, await requireSha(world, repository, at));
      const rows = filter.filter === 'all' ? all : latestCheckRuns(state, all);
      return rows
        .map((run) => ({ ...run, app: rowOf(state.apps, run.appId).slug }))
        .filter((run) => filter.name === undefined || run.name === filter.name)
        .filter((run) => filter.app === undefined || run.app === filter.app);
    },
    workflowRuns: (repo) => {
      const { id } = requireRepository(world, repo);
      return [...state.workflowRuns.values()].filter((run) => run.repositoryId === id);
    },
    jobLog: (jobId) => rowOf(state.workflowJobs, jobId).log,
    comments: (repo, number) => ofPull(state.issueComments, requireNumbered(repo, number)),
    reviews: (repo, number) => ofPull(state.reviews, requireNumbered(repo, number)),
    threads: async (repo, number) => await readThreads(world, requireNumbered(repo, number)),
    reactions: (commentId) => {
      const rows = [...state.reactions.values()].filter((row) => row.subjectId === commentId);
      return rows.map((row) => `${row.content} by ${row.login}`);
    },
    headSha: async (repo, at) => await requireSha(world, requireRepository(world, repo), at),
    log: async (repo, at, max = 50) => {
      const repository = requireRepository(world, repo);
      const commits = await listCommits(repository.git, [
        `--max-count=${max}`,
        await requireSha(world, repository, at),
      ]);
      return commits.map(({ sha, message, author, parents }) => ({ sha, message, author: author.name, parents }));
    },
    fileAt: async (repo, at, path) => {
      const repository = requireRepository(world, repo);
      return await readText(repository.git, await requireSha(world, repository, at), path);
    },
  };
}

async function readThreads(world: WorldContext, pull: Pull): Promise<readonly ThreadView[]> {
  const { git } = rowOf(world.state.repositories, pull.repositoryId);
  const { headSha } = await readPullTips(world, pull);
  const views: ThreadView[] = [];
  for (const thread of ofPull(world.state.reviewThreads, pull)) {
    const range = { from: thread.commitSha, to: headSha };
    views.push({
      id: thread.id,
      path: thread.path,
      line: thread.line,
      isResolved: thread.resolvedByLogin !== null,
      isOutdated: await isLineChanged(git, range, thread),
      comments: [...world.state.reviewComments.values()].filter((row) => row.threadId === thread.id),
    });
  }
  return views;
}
