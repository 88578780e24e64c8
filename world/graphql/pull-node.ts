import { findQueue, ofPull, rowOf, toFullName } from '../find.ts';
import { readCommit } from '../git/repository.ts';
import { readMergeState } from '../operations/merge-state.ts';
import {
  type Mergeability,
  type PullTips,
  readMergeability,
  readPullChanges,
  readPullTips,
} from '../operations/read-pull-code.ts';
import { reviewDecisionOf } from '../operations/review-decision.ts';
import { reviewsSeenBy, threadsSeenBy } from '../seen-by.ts';
import type { Pull, Review } from '../state.ts';
import { type GraphContext, hasAccess, repositoryOf, viewerOf } from './access.ts';
import { actorNode } from './actor-node.ts';
import { commitNode } from './commit-node.ts';
import { connection, type FieldArguments, type GraphNode, graphError } from './node.ts';
import { branchNode } from './ref-node.ts';
import { issueCommentNode, latestReviews, reviewNode, threadNode } from './thread-node.ts';

const MERGEABLE = { clean: 'MERGEABLE', conflict: 'CONFLICTING', unknown: 'UNKNOWN' } as const;

/** A pull request. Head, base and mergeability are read from git once per query. */
export async function pullNode(context: GraphContext, pull: Pull): Promise<GraphNode> {
  const { world } = context;
  const repository = repositoryOf(context, pull);
  const tips = await readPullTips(world, pull);
  let mergeability: Promise<Mergeability> | null = null;
  const readOnce = async (): Promise<Mergeability> => {
    mergeability ??= readMergeability(world, pull, tips);
    return await mergeability;
  };
  return {
    ...describe(context, pull, tips),
    ...conversation(context, pull),
    mergeable: async () => MERGEABLE[await readOnce()],
    mergeStateStatus: async () =>
      (await readMergeState(world, pull, { tips, mergeability: await readOnce() })).toUpperCase(),
    repository: () => context.repositoryNode(repository),
    baseRepository: () => context.repositoryNode(repository),
    headRepository: () => context.repositoryNode(rowOf(world.state.repositories, pull.headRepositoryId)),
    baseRef: async () => await branchNode(context, repository, pull.baseBranch),
    headRef: async () => await headRefNode(context, pull),
    viewerCanUpdateBranch: async () => await canUpdateBranch(context, pull, tips),
    commits: async (args: FieldArguments) => {
      const { commits } = await readPullChanges(world, pull, tips);
      // A head that is contained in its base has no commits of its own. GitHub still shows the ones it was opened with.
      const rows = commits.length > 0 ? commits : [await readCommit(repository.git, tips.headSha)];
      return connection('PullRequestCommitConnection', rows, args, (commit) => ({
        __typename: 'PullRequestCommit',
        id: `PURC_${commit.sha}`,
        commit: commitNode(context, repository, commit),
      }));
    },
    additions: async () =>
      (await readPullChanges(world, pull, tips)).files.reduce((sum, file) => sum + file.additions, 0),
    deletions: async () =>
      (await readPullChanges(world, pull, tips)).files.reduce((sum, file) => sum + file.deletions, 0),
    changedFiles: async () => (await readPullChanges(world, pull, tips)).files.length,
    files: async (args: FieldArguments) => {
      const { files } = await readPullChanges(world, pull, tips);
      return connection('PullRequestChangedFileConnection', files, args, (file) => ({
        __typename: 'PullRequestChangedFile',
        path: file.filename,
        additions: file.additions,
        deletions: file.deletions,
        changeType: file.status === 'removed' ? 'DELETED' : file.status.toUpperCase(),
      }));
    },
  };
}

/** Whether the head lacks commits of the base and the caller may push to it. */
/** The branch of a fork can be closed to the App, though it reads the pull request. */
async function headRefNode(context: GraphContext, pull: Pull): Promise<GraphNode | null> {
  const { state, faults } = context.world;
  const node = await branchNode(context, rowOf(state.repositories, pull.headRepositoryId), pull.headBranch);
  const isHidden = pull.headRepositoryId !== pull.repositoryId && faults.areForkRefsHidden();
  if (node === null || !isHidden) return node;
  const refuse = (): never => {
    throw graphError('FORBIDDEN', 'Resource not accessible by integration');
  };
  return { ...node, refUpdateRule: refuse, rules: refuse, target: refuse };
}

async function canUpdateBranch(context: GraphContext, pull: Pull, tips: PullTips): Promise<boolean> {
  const headRepository = rowOf(context.world.state.repositories, pull.headRepositoryId);
  if (pull.state === 'closed' || !hasAccess(context, headRepository, 'contents', 'write')) return false;
  return (await readPullChanges(context.world, pull, tips)).behindBy > 0;
}

function toState(pull: Pull): string {
  return pull.merge === null ? pull.state.toUpperCase() : 'MERGED';
}

function describe(context: GraphContext, pull: Pull, tips: PullTips): GraphNode {
  const { world } = context;
  const url = `${world.url}/${toFullName(repositoryOf(context, pull))}/pull/${pull.number}`;
  return {
    __typename: 'PullRequest',
    id: `PR_${pull.id}`,
    databaseId: pull.id,
    fullDatabaseId: String(pull.id),
    number: pull.number,
    title: pull.title,
    body: pull.body ?? '',
    url,
    state: toState(pull),
    closed: pull.state === 'closed',
    merged: pull.merge !== null,
    isDraft: pull.isDraft,
    isCrossRepository: pull.headRepositoryId !== pull.repositoryId,
    isInMergeQueue: pull.queue !== null,
    mergeQueueEntry: () => queueEntryNode(context, pull),
    locked: false,
    maintainerCanModify: false,
    createdAt: pull.createdAt,
    updatedAt: pull.updatedAt,
    closedAt: pull.closedAt,
    mergedAt: pull.merge?.at ?? null,
    headRefOid: tips.headSha,
    headRefName: pull.headBranch,
    baseRefName: pull.baseBranch,
    baseRefOid: tips.baseSha,
    author: () => actorNode(context, pull.authorLogin),
    autoMergeRequest: () => autoMergeNode(context, pull),
    timelineItems: (args: FieldArguments) => timelineNode(context, pull, args),
    labels: (args: FieldArguments) => {
      return connection('LabelConnection', pull.labels, args, (name) => ({
        __typename: 'Label',
        id: `LA_${name}`,
        name,
      }));
    },
  };
}

function queueEntryNode(context: GraphContext, pull: Pull): GraphNode | null {
  if (pull.queue === null) return null;
  const { enqueuedAt, byLogin } = pull.queue;
  const position = findQueue(context.world.state, pull).findIndex((queued) => queued.id === pull.id) + 1;
  const enqueuer = (): GraphNode => actorNode(context, byLogin);
  return { __typename: 'MergeQueueEntry', id: `MQE_${pull.id}`, position, state: 'QUEUED', enqueuedAt, enqueuer };
}

const TIMELINE_TYPES = {
  queued: ['ADDED_TO_MERGE_QUEUE_EVENT', 'AddedToMergeQueueEvent'],
  dequeued: ['REMOVED_FROM_MERGE_QUEUE_EVENT', 'RemovedFromMergeQueueEvent'],
  pushed: ['PULL_REQUEST_COMMIT', 'PullRequestCommit'],
} as const;

/** Items of the wanted types, oldest first. A push is one item, whatever it brings. */
function timelineNode(context: GraphContext, pull: Pull, args: FieldArguments): GraphNode {
  const wanted = args['itemTypes'];
  const items = pull.timeline.filter(({ kind }) => !Array.isArray(wanted) || wanted.includes(TIMELINE_TYPES[kind][0]));
  return connection('PullRequestTimelineItemsConnection', items, args, (item) => ({
    __typename: TIMELINE_TYPES[item.kind][1],
    id: `TI_${pull.id}_${item.at}`,
    createdAt: item.at,
    actor: () => actorNode(context, item.byLogin),
    ...(item.kind === 'dequeued' ? { reason: item.reason } : {}),
  }));
}

function autoMergeNode(context: GraphContext, pull: Pull): GraphNode | null {
  if (pull.autoMerge === null) return null;
  const { enabledAt, byLogin } = pull.autoMerge;
  const enabledBy = (): GraphNode => actorNode(context, byLogin);
  return { __typename: 'AutoMergeRequest', enabledAt, enabledBy, mergeMethod: 'MERGE' };
}

function conversation(context: GraphContext, pull: Pull): GraphNode {
  const { state } = context.world;
  const reviews = (rows: readonly Review[], args: FieldArguments): GraphNode => {
    return connection('PullRequestReviewConnection', rows, args, (review) => reviewNode(context, review));
  };
  return {
    __typename: 'PullRequest',
    reviewDecision: () => reviewDecisionOf(state, pull),
    reviewThreads: (args: FieldArguments) => {
      const rows = threadsSeenBy(state, pull, viewerOf(context));
      return connection('PullRequestReviewThreadConnection', rows, args, (row) => threadNode(context, row));
    },
    reviews: (args: FieldArguments) => {
      const { states } = args;
      const rows = reviewsSeenBy(state, pull, viewerOf(context));
      return reviews(Array.isArray(states) ? rows.filter((row) => states.includes(row.state)) : rows, args);
    },
    latestReviews: (args: FieldArguments) => reviews(latestReviews(context, pull), args),
    latestOpinionatedReviews: (args: FieldArguments) => {
      return reviews(
        latestReviews(context, pull).filter((row) => row.state !== 'COMMENTED'),
        args,
      );
    },
    comments: (args: FieldArguments) => {
      const rows = ofPull(state.issueComments, pull);
      return connection('IssueCommentConnection', rows, args, (row) => issueCommentNode(context, row));
    },
  };
}
