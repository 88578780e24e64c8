import { accountOfEmail, rowOf } from '../find.ts';
import type { Commit } from '../git/commit.ts';
import { readCommit } from '../git/repository.ts';
import type { Json, JsonObject } from '../json.ts';
import { readPullTips } from '../operations/read-pull-code.ts';
import type {
  Annotation,
  CheckConclusion,
  CheckRun,
  CheckStatus,
  CheckSuite,
  CommitStatus,
  Repository,
} from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import { renderApp, renderUser } from './accounts.ts';
import { renderPullMinimal } from './pulls.ts';
import { renderRepository, repositoryApi, repositoryPage } from './repositories.ts';

/** Open pull requests of this repository whose head is `sha`. As on GitHub, without those from forks. */
export async function renderPullsOfHead(
  world: WorldContext,
  repositoryId: number,
  sha: string,
): Promise<readonly Json[]> {
  const rendered: Json[] = [];
  for (const pull of world.state.pulls.values()) {
    if (pull.repositoryId !== repositoryId || pull.headRepositoryId !== repositoryId || pull.state !== 'open') continue;
    const { headSha } = await readPullTips(world, pull);
    if (headSha === sha) rendered.push(await renderPullMinimal(world, pull));
  }
  return rendered;
}

export async function renderCheckRun(world: WorldContext, run: CheckRun): Promise<JsonObject> {
  const repository = rowOf(world.state.repositories, run.repositoryId);
  const url = `${repositoryApi(world, repository)}/check-runs/${run.id}`;
  return {
    id: run.id,
    name: run.name,
    node_id: `CR_${run.id}`,
    head_sha: run.headSha,
    external_id: run.externalId,
    url,
    html_url: `${repositoryPage(world, repository)}/runs/${run.id}`,
    details_url: run.detailsUrl ?? world.url,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: {
      title: run.output.title,
      summary: run.output.summary,
      text: run.output.text,
      annotations_count: run.annotations.length,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: run.suiteId },
    app: renderApp(world, rowOf(world.state.apps, run.appId)),
    pull_requests: await renderPullsOfHead(world, run.repositoryId, run.headSha),
  };
}

export function renderAnnotation(world: WorldContext, run: CheckRun, annotation: Annotation): JsonObject {
  const repository = rowOf(world.state.repositories, run.repositoryId);
  return {
    path: annotation.path,
    blob_href: `${repositoryPage(world, repository)}/blob/${run.headSha}/${annotation.path}`,
    start_line: annotation.startLine,
    start_column: null,
    end_line: annotation.endLine,
    end_column: null,
    annotation_level: annotation.level,
    title: annotation.title ?? '',
    message: annotation.message,
    raw_details: annotation.rawDetails ?? '',
  };
}

/** Status and conclusion of a suite, from the newest check run of each name. `count` is the number of those. */
export function toSuiteResult(
  world: WorldContext,
  suite: CheckSuite,
): {
  readonly status: CheckStatus;
  readonly conclusion: CheckConclusion | null;
  readonly count: number;
} {
  const runs = [...world.state.checkRuns.values()].filter((run) => run.suiteId === suite.id);
  const latest = [...new Map(runs.map((run) => [run.name, run])).values()];
  if (latest.length === 0) return { ...toResultWithoutRuns(world, suite), count: 0 };
  const count = latest.length;
  if (latest.some((run) => run.status !== 'completed')) {
    const open = latest.map((run) => run.status).filter((status) => status !== 'completed');
    const status = (['in_progress', 'queued', 'requested', 'pending'] as const).find((one) => open.includes(one));
    return { status: status ?? 'waiting', conclusion: null, count };
  }
  return { status: 'completed', conclusion: toConclusion(latest.map((run) => run.conclusion)), count };
}

/** A suite without check runs takes the result of its workflow run. */
function toResultWithoutRuns(
  world: WorldContext,
  suite: CheckSuite,
): { readonly status: CheckStatus; readonly conclusion: CheckConclusion | null } {
  const run = world.state.workflowRuns.values().find((row) => row.suiteId === suite.id);
  return run?.status === 'completed'
    ? { status: 'completed', conclusion: run.conclusion }
    : { status: run?.status ?? 'queued', conclusion: null };
}

/** The conclusion of a group: the worst one. */
export function toConclusion(conclusions: readonly (CheckConclusion | null)[]): CheckConclusion {
  const order = ['failure', 'timed_out', 'cancelled', 'action_required', 'success', 'neutral', 'skipped'] as const;
  return order.find((conclusion) => conclusions.includes(conclusion)) ?? 'success';
}

/** A commit, in suites, runs and push events. */
export function renderSimpleCommit(commit: Commit): JsonObject {
  return {
    id: commit.sha,
    tree_id: commit.treeSha,
    message: commit.message,
    timestamp: commit.committer.date,
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.committer.name, email: commit.committer.email },
  };
}

/** A check suite, in REST. */
export async function renderCheckSuite(world: WorldContext, suite: CheckSuite): Promise<JsonObject> {
  const repository = renderRepository(world, rowOf(world.state.repositories, suite.repositoryId));
  return { ...(await renderSentCheckSuite(world, suite)), repository };
}

/** A check suite, in webhooks: without the repository, which the webhook has itself. */
export async function renderSentCheckSuite(world: WorldContext, suite: CheckSuite): Promise<JsonObject> {
  const repository = rowOf(world.state.repositories, suite.repositoryId);
  const url = `${repositoryApi(world, repository)}/check-suites/${suite.id}`;
  const result = toSuiteResult(world, suite);
  return {
    id: suite.id,
    node_id: `CS_${suite.id}`,
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    status: result.status,
    conclusion: result.conclusion,
    url,
    before: suite.before,
    after: suite.headSha,
    pull_requests: await renderPullsOfHead(world, suite.repositoryId, suite.headSha),
    app: renderApp(world, rowOf(world.state.apps, suite.appId)),
    created_at: suite.createdAt,
    updated_at: suite.createdAt,
    head_commit: renderSimpleCommit(await readCommit(repository.git, suite.headSha)),
    latest_check_runs_count: result.count,
    check_runs_url: `${url}/check-runs`,
    rerequestable: true,
    runs_rerequestable: true,
  };
}

/** A commit status, in REST. */
export function renderStatus(world: WorldContext, status: CommitStatus): JsonObject {
  return { ...renderSentStatus(world, status), creator: renderUser(world, status.creatorLogin) };
}

/** A commit status, in webhooks and the combined status: without its creator. */
export function renderSentStatus(world: WorldContext, status: CommitStatus): JsonObject {
  const repository = rowOf(world.state.repositories, status.repositoryId);
  return {
    url: `${repositoryApi(world, repository)}/statuses/${status.sha}`,
    avatar_url: renderUser(world, status.creatorLogin)['avatar_url'],
    id: status.id,
    node_id: `SC_${status.id}`,
    state: status.state,
    description: status.description,
    target_url: status.targetUrl ?? world.url,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.createdAt,
  };
}

/** A commit, in the commits API. */
export function renderCommit(world: WorldContext, repository: Repository, commit: Commit): JsonObject {
  const api = repositoryApi(world, repository);
  const page = repositoryPage(world, repository);
  const verification = { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null };
  return {
    sha: commit.sha,
    node_id: `C_${commit.sha}`,
    commit: {
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      tree: { sha: commit.treeSha, url: `${api}/git/trees/${commit.treeSha}` },
      url: `${api}/git/commits/${commit.sha}`,
      comment_count: 0,
      verification,
    },
    url: `${api}/commits/${commit.sha}`,
    html_url: `${page}/commit/${commit.sha}`,
    comments_url: `${api}/commits/${commit.sha}/comments`,
    author: renderCommitAuthor(world, commit.author.email),
    committer: renderCommitAuthor(world, commit.committer.email),
    parents: commit.parents.map((sha) => ({ sha, url: `${api}/commits/${sha}`, html_url: `${page}/commit/${sha}` })),
  };
}

/** The account that the address belongs to, or null. */
export function renderCommitAuthor(world: WorldContext, email: string): JsonObject | null {
  const account = accountOfEmail(world.state, email);
  return account === undefined ? null : renderUser(world, account.login);
}
