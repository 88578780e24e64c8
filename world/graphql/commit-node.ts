import { accountOfEmail, checkRunsOf, findProtections, latestCheckRuns, rowOf, toFullName } from '../find.ts';
import type { Commit } from '../git/commit.ts';
import { readContent } from '../git/read-content.ts';
import { readCommit } from '../git/repository.ts';
import { toSuiteResult } from '../render/checks.ts';
import type { Annotation, CheckRun, CheckSuite, CommitStatus, Repository } from '../state.ts';
import { demand, type GraphContext } from './access.ts';
import { actorNode } from './actor-node.ts';
import { connection, type FieldArguments, type GraphNode, graphError, numberArgument, stringArgument } from './node.ts';

/** GitHub cuts the text of a blob at this length and sets `isTruncated`. */
const MAX_BLOB_TEXT = 512_000;

export function commitNode(context: GraphContext, repository: Repository, commit: Commit): GraphNode {
  const url = `${context.world.url}/${toFullName(repository)}/commit/${commit.sha}`;
  const person = ({ name, email, date }: Commit['author'], typename: string): GraphNode => {
    return { __typename: typename, name, email, date, user: () => userOf(context, email) };
  };
  return {
    __typename: 'Commit',
    id: `C_${commit.sha}`,
    oid: commit.sha,
    abbreviatedOid: commit.sha.slice(0, 7),
    message: commit.message,
    messageHeadline: commit.message.split('\n')[0] ?? '',
    messageBody: commit.message.split('\n').slice(2).join('\n'),
    committedDate: commit.committer.date,
    authoredDate: commit.author.date,
    author: person(commit.author, 'GitActor'),
    committer: person(commit.committer, 'GitActor'),
    url,
    parents: (args: FieldArguments) => {
      return connection('CommitConnection', commit.parents, args, async (sha) => {
        return commitNode(context, repository, await readCommit(repository.git, sha));
      });
    },
    tree: async () => await treeEntryObject(context, repository, commit.sha, ''),
    file: async (args: FieldArguments) => {
      demand(context, repository, 'contents');
      return await fileNode(context, repository, commit.sha, stringArgument(args, 'path') ?? '');
    },
    checkSuites: (args: FieldArguments) => {
      demand(context, repository, 'checks');
      const suites = [...context.world.state.checkSuites.values()].filter((suite) => {
        return suite.repositoryId === repository.id && suite.headSha === commit.sha;
      });
      return connection('CheckSuiteConnection', suites, args, (suite) => suiteNode(context, suite));
    },
    statusCheckRollup: () => rollupNode(context, repository, commit),
  };
}

function userOf(context: GraphContext, email: string): GraphNode | null {
  const account = accountOfEmail(context.world.state, email);
  return account?.kind === 'User' ? actorNode(context, account.login) : null;
}

async function fileNode(
  context: GraphContext,
  repository: Repository,
  sha: string,
  path: string,
): Promise<GraphNode | null> {
  const object = await treeEntryObject(context, repository, sha, path);
  if (object === null) return null;
  const isTree = object.__typename === 'Tree';
  const name = path.split('/').at(-1) ?? path;
  return {
    __typename: 'TreeEntry',
    name,
    path,
    type: isTree ? 'tree' : 'blob',
    mode: isTree ? 16_384 : 33_188,
    extension: /\.[^.]+$/u.exec(name)?.[0] ?? '',
    oid: object['oid'],
    size: object['byteSize'] ?? 0,
    object,
  };
}

/** The blob or tree at a path of a commit, or null. */
export async function treeEntryObject(
  context: GraphContext,
  repository: Repository,
  sha: string,
  path: string,
): Promise<GraphNode | null> {
  const content = await readContent(repository.git, sha, path);
  if (content === null) return null;
  if (content.kind === 'tree') {
    const entries = content.entries.map((entry) => ({
      __typename: 'TreeEntry',
      name: entry.name,
      path: path === '' ? entry.name : `${path}/${entry.name}`,
      type: entry.kind,
      mode: Number.parseInt(entry.mode, 8),
      oid: entry.sha,
      size: entry.byteSize,
      object: async () =>
        await treeEntryObject(context, repository, sha, path === '' ? entry.name : `${path}/${entry.name}`),
    }));
    return { __typename: 'Tree', id: `T_${content.sha}`, oid: content.sha, entries };
  }
  const isBinary = content.bytes.includes(0);
  return {
    __typename: 'Blob',
    id: `B_${content.sha}`,
    oid: content.sha,
    byteSize: content.bytes.length,
    isBinary,
    isTruncated: content.bytes.length > MAX_BLOB_TEXT,
    text: isBinary ? null : content.bytes.subarray(0, MAX_BLOB_TEXT).toString('utf8'),
  };
}

function rollupNode(context: GraphContext, repository: Repository, commit: Commit): GraphNode | null {
  demand(context, repository, 'checks');
  const { state } = context.world;
  const shown = checkRunsOf(state, repository.id, commit.sha).filter((run) => run.isWithdrawn !== true);
  const runs = latestCheckRuns(state, shown);
  const all = [...state.statuses.values()].filter(
    (row) => row.repositoryId === repository.id && row.sha === commit.sha,
  );
  const statuses = [...new Map(all.map((status) => [status.context, status])).values()];
  if (runs.length + statuses.length === 0) return null;
  const contexts = [
    ...runs.map((run) => () => checkRunNode(context, run)),
    ...statuses.map((status) => () => statusNode(context, status)),
  ];
  return {
    __typename: 'StatusCheckRollup',
    id: `SCR_${commit.sha}`,
    state: toRollupState([...runs.map(toRunState), ...statuses.map((status) => status.state.toUpperCase())]),
    commit: () => commitNode(context, repository, commit),
    contexts: (args: FieldArguments) => ({
      ...connection('StatusCheckRollupContextConnection', contexts, args, (render) => render()),
      checkRunCount: runs.length,
      statusContextCount: statuses.length,
    }),
  };
}

function toRunState(run: CheckRun): string {
  if (run.status !== 'completed') return 'PENDING';
  return ['success', 'neutral', 'skipped'].includes(run.conclusion ?? '') ? 'SUCCESS' : 'FAILURE';
}

function toRollupState(states: readonly string[]): string {
  const order = ['FAILURE', 'ERROR', 'PENDING', 'SUCCESS'];
  return order.find((state) => states.includes(state)) ?? 'SUCCESS';
}

export function checkRunNode(context: GraphContext, run: CheckRun): GraphNode {
  const { world } = context;
  const repository = rowOf(world.state.repositories, run.repositoryId);
  const url = `${world.url}/${toFullName(repository)}/runs/${run.id}`;
  return {
    __typename: 'CheckRun',
    id: `CR_${run.id}`,
    // Ids of jobs have no room in an `Int`.
    databaseId: world.state.workflowJobs.has(run.id) ? null : run.id,
    name: run.name,
    status: run.status.toUpperCase(),
    conclusion: run.conclusion?.toUpperCase() ?? null,
    startedAt: run.startedAt,
    completedAt: run.completedAt,
    detailsUrl: run.detailsUrl ?? world.url,
    externalId: run.externalId,
    title: run.output.title,
    summary: run.output.summary,
    text: run.output.text,
    url,
    permalink: url,
    resourcePath: new URL(url).pathname,
    isRequired: (args: FieldArguments) => isRequired(context, repository, run.name, args),
    checkSuite: () => suiteNode(context, rowOf(world.state.checkSuites, run.suiteId)),
    annotations: (args: FieldArguments) => {
      demand(context, repository, 'checks');
      return connection('CheckAnnotationConnection', run.annotations, args, annotationNode);
    },
  };
}

/** An annotation of a check run. */
function annotationNode({ path, startLine, endLine, level, message, title, rawDetails }: Annotation): GraphNode {
  return {
    __typename: 'CheckAnnotation',
    path,
    location: {
      __typename: 'CheckAnnotationSpan',
      start: { __typename: 'CheckAnnotationPosition', line: startLine, column: null },
      end: { __typename: 'CheckAnnotationPosition', line: endLine, column: null },
    },
    annotationLevel: level.toUpperCase(),
    message,
    title,
    rawDetails,
  };
}

function suiteNode(context: GraphContext, suite: CheckSuite): GraphNode {
  const { world } = context;
  const app = rowOf(world.state.apps, suite.appId);
  const result = toSuiteResult(world, suite);
  const run = world.state.workflowRuns.values().find((row) => row.suiteId === suite.id);
  return {
    __typename: 'CheckSuite',
    id: `CS_${suite.id}`,
    databaseId: run === undefined ? suite.id : null,
    createdAt: suite.createdAt,
    updatedAt: suite.createdAt,
    status: result.status.toUpperCase(),
    conclusion: result.conclusion?.toUpperCase() ?? null,
    app: { __typename: 'App', id: `A_${app.id}`, databaseId: app.id, slug: app.slug, name: app.name },
    workflowRun:
      run === undefined
        ? null
        : {
            __typename: 'WorkflowRun',
            id: `WFR_${run.id}`,
            databaseId: null,
            event: run.event,
            runNumber: run.runNumber,
            createdAt: run.createdAt,
            updatedAt: run.updatedAt,
            url: `${world.url}/${toFullName(rowOf(world.state.repositories, run.repositoryId))}/actions/runs/${run.id}`,
            workflow: { __typename: 'Workflow', id: `W_${run.workflowId}`, databaseId: run.workflowId, name: run.name },
          },
    checkRuns: (args: FieldArguments) => {
      const rows = [...world.state.checkRuns.values()].filter((row) => row.suiteId === suite.id);
      return connection('CheckRunConnection', rows, args, (row) => checkRunNode(context, row));
    },
  };
}

function statusNode(context: GraphContext, status: CommitStatus): GraphNode {
  return {
    __typename: 'StatusContext',
    id: `SC_${status.id}`,
    context: status.context,
    state: status.state.toUpperCase(),
    description: status.description,
    targetUrl: status.targetUrl,
    createdAt: status.createdAt,
    creator: () => actorNode(context, status.creatorLogin),
    isRequired: (args: FieldArguments) => {
      return isRequired(context, rowOf(context.world.state.repositories, status.repositoryId), status.context, args);
    },
  };
}

/** Whether a rule of the pull request's base branch requires the context. */
function isRequired(context: GraphContext, repository: Repository, name: string, args: FieldArguments): boolean {
  const number = numberArgument(args, 'pullRequestNumber');
  const id = stringArgument(args, 'pullRequestId');
  if (number === null && id === null) {
    throw graphError('UNPROCESSABLE', 'One of pullRequestId or pullRequestNumber must be given');
  }
  const pulls = [...context.world.state.pulls.values()].filter((pull) => pull.repositoryId === repository.id);
  const pull = pulls.find((row) => row.number === number || `PR_${row.id}` === id);
  if (pull === undefined) return false;
  return findProtections(repository, pull.baseBranch).some((rule) => rule.requiredChecks.includes(name));
}
