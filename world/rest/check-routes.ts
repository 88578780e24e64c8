import { loginOf } from '../auth/caller.ts';
import { rerunWorkflow } from '../ci/rerun-workflow.ts';
import { checkRunsOf, latestCheckRuns } from '../find.ts';
import { resolveCommit } from '../git/repository.ts';
import { type JsonObject, objectAt, objectsAt, stringAt } from '../json.ts';
import { addCheckRun, addStatus, branchAt, emitCheckRun, replaceCheckRun } from '../operations/change-checks.ts';
import { ensureSuite } from '../operations/check-suites.ts';
import {
  renderAnnotation,
  renderCheckRun,
  renderCheckSuite,
  renderSentStatus,
  renderStatus,
} from '../render/checks.ts';
import { renderRepository, repositoryApi } from '../render/repositories.ts';
import type { CheckRun, CommitStatus, Repository } from '../state.ts';
import { parseAnnotation, parseCheckAction, parseCheckConclusion, parseCheckStatus } from './parse-check.ts';
import {
  countedList,
  created,
  failure,
  list,
  notFound,
  numberParam,
  ok,
  paginate,
  type Reply,
  type RestRequest,
  type Route,
  reading,
  textParam,
  writing,
} from './route.ts';

/** Check runs, check suites and commit statuses. */
export const CHECK_ROUTES: readonly Route[] = [
  {
    kind: 'repository',
    key: 'POST /repos/{owner}/{repo}/check-runs',
    need: { permission: 'checks', level: 'write', isAppOnly: true },
    answer: createCheckRun,
  },
  {
    kind: 'repository',
    key: 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
    need: { permission: 'checks', level: 'write', isAppOnly: true },
    answer: updateCheckRun,
  },
  reading('GET /repos/{owner}/{repo}/check-runs/{check_run_id}', 'checks', async (request, repository) => {
    const run = checkRunParam(request, repository);
    return run === null ? notFound() : ok(await renderCheckRun(request.world, run));
  }),
  reading('GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations', 'checks', async (request, repository) => {
    const run = checkRunParam(request, repository);
    if (run === null) return notFound();
    return await list(request, run.annotations, (annotation) => renderAnnotation(request.world, run, annotation));
  }),
  writing('POST /repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest', 'checks', rerequest),
  reading('GET /repos/{owner}/{repo}/check-suites/{check_suite_id}', 'checks', async (request, repository) => {
    const suite = request.world.state.checkSuites.get(numberParam(request, 'check_suite_id'));
    return suite?.repositoryId === repository.id ? ok(await renderCheckSuite(request.world, suite)) : notFound();
  }),
  reading(
    'GET /repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs',
    'checks',
    async (request, repository) => {
      const suiteId = numberParam(request, 'check_suite_id');
      const rows = [...request.world.state.checkRuns.values()].filter((run) => run.suiteId === suiteId);
      return await listCheckRuns(
        request,
        rows.filter((run) => run.repositoryId === repository.id),
      );
    },
  ),
  reading('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', 'checks', async (request, repository) => {
    const sha = await resolveCommit(repository.git, textParam(request, 'ref'));
    if (sha === null) return failure(422, `No commit found for SHA: ${textParam(request, 'ref')}`);
    return await listCheckRuns(request, checkRunsOf(request.world.state, repository.id, sha));
  }),
  reading('GET /repos/{owner}/{repo}/commits/{ref}/check-suites', 'checks', async (request, repository) => {
    const { world, query } = request;
    const sha = await resolveCommit(repository.git, textParam(request, 'ref'));
    if (sha === null) return failure(422, `No commit found for SHA: ${textParam(request, 'ref')}`);
    const appId = query.get('app_id');
    const name = query.get('check_name');
    const runs = checkRunsOf(world.state, repository.id, sha);
    const rows = [...world.state.checkSuites.values()]
      .filter((suite) => suite.repositoryId === repository.id && suite.headSha === sha)
      .filter((suite) => appId === null || suite.appId === Number(appId))
      .filter((suite) => name === null || runs.some((run) => run.suiteId === suite.id && run.name === name));
    return await countedList(request, 'check_suites', rows, async (suite) => await renderCheckSuite(world, suite));
  }),
  reading('GET /repos/{owner}/{repo}/commits/{ref}/statuses', 'statuses', async (request, repository) => {
    const rows = await statusesOf(request, repository, textParam(request, 'ref'));
    if (rows === null) return failure(422, 'No commit found');
    return await list(request, rows, (status) => renderStatus(request.world, status));
  }),
  reading('GET /repos/{owner}/{repo}/commits/{ref}/status', 'statuses', combinedStatus),
  writing('POST /repos/{owner}/{repo}/statuses/{sha}', 'statuses', createStatus),
];

function checkRunParam(request: RestRequest, repository: Repository): CheckRun | null {
  const run = request.world.state.checkRuns.get(numberParam(request, 'check_run_id'));
  return run?.repositoryId === repository.id ? run : null;
}

async function listCheckRuns(request: RestRequest, all: readonly CheckRun[]): Promise<Reply> {
  const { world, query } = request;
  const name = query.get('check_name');
  const status = query.get('status');
  const appId = query.get('app_id');
  const runs = query.get('filter') === 'all' ? all : latestCheckRuns(world.state, all);
  const rows = runs
    .filter((run) => name === null || run.name === name)
    .filter((run) => status === null || run.status === status)
    .filter((run) => appId === null || run.appId === Number(appId));
  return await countedList(request, 'check_runs', rows.toReversed(), async (run) => await renderCheckRun(world, run));
}

/** Applies the fields of a create or update request. As on GitHub, annotations are appended. */
function applyBody(request: RestRequest, run: CheckRun): CheckRun {
  const { body, world } = request;
  const output = objectAt(body, 'output');
  const conclusion = parseCheckConclusion(stringAt(body, 'conclusion')) ?? run.conclusion;
  const wanted = parseCheckStatus(stringAt(body, 'status')) ?? run.status;
  // On GitHub a conclusion sets the status to completed.
  const status = stringAt(body, 'conclusion') === null ? wanted : 'completed';
  const isCompleted = status === 'completed';
  const text = <T>(from: JsonObject, key: string, before: T): string | T => stringAt(from, key) ?? before;
  return {
    ...run,
    name: text(body, 'name', run.name),
    status,
    conclusion: isCompleted ? conclusion : null,
    startedAt: text(body, 'started_at', run.startedAt ?? world.now()),
    completedAt: isCompleted ? text(body, 'completed_at', world.now()) : null,
    detailsUrl: text(body, 'details_url', run.detailsUrl),
    externalId: text(body, 'external_id', run.externalId),
    output: {
      title: text(output, 'title', run.output.title),
      summary: text(output, 'summary', run.output.summary),
      text: text(output, 'text', run.output.text),
    },
    annotations: [...run.annotations, ...objectsAt(output, 'annotations').map(parseAnnotation)],
    actions: 'actions' in body ? objectsAt(body, 'actions').map(parseCheckAction) : run.actions,
  };
}

/** A completed check run keeps its status and conclusion. The rest of an update counts. */
function keepCompleted(before: CheckRun, after: CheckRun): CheckRun {
  const { status, conclusion, completedAt } = before;
  return status === 'completed' ? { ...after, status, conclusion, completedAt } : after;
}

/** Checks what the schema does not require: `completed` needs a conclusion. */
function problemOfBody(body: JsonObject): string | null {
  const isCompleted = stringAt(body, 'status') === 'completed';
  return isCompleted && stringAt(body, 'conclusion') === null ? 'Invalid request: conclusion is missing' : null;
}

async function createCheckRun(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world, body, caller } = request;
  const problem = problemOfBody(body);
  if (problem !== null) return failure(422, problem);
  const headSha = stringAt(body, 'head_sha') ?? '';
  const sha = await resolveCommit(repository.git, headSha);
  if (sha === null || sha !== headSha) return failure(422, `No commit found for SHA: ${headSha}`);
  const branch = await branchAt(world, repository.id, sha);
  const suite = ensureSuite(world, repository, world.app.id, { sha, branch });
  const run = applyBody(request, {
    id: world.nextId(),
    repositoryId: repository.id,
    suiteId: suite.id,
    appId: world.app.id,
    headSha: sha,
    name: '',
    status: 'queued',
    conclusion: null,
    startedAt: null,
    completedAt: null,
    detailsUrl: null,
    externalId: '',
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
  });
  await addCheckRun(world, run, loginOf(world, caller));
  return created(await renderCheckRun(world, run));
}

async function updateCheckRun(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world, caller } = request;
  const run = checkRunParam(request, repository);
  if (run === null) return notFound();
  if (run.appId !== world.app.id)
    return failure(
      403,
      `Invalid app_id \`${world.app.id}\` - check run can only be modified by the GitHub App that created it.`,
    );
  const problem = run.conclusion === null ? problemOfBody(request.body) : null;
  if (problem !== null) return failure(422, problem);
  const changed = keepCompleted(run, applyBody(request, run));
  await replaceCheckRun(world, changed, loginOf(world, caller));
  return ok(await renderCheckRun(world, changed));
}

async function rerequest(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world, caller } = request;
  const run = checkRunParam(request, repository);
  if (run === null) return notFound();
  if (run.status !== 'completed') return failure(422, 'This check run is not rerequestable');
  const job = world.state.workflowJobs.get(run.id);
  const login = loginOf(world, caller);
  if (job === undefined) {
    await emitCheckRun(world, run, { action: 'rerequested' }, login);
    return created({});
  }
  const outcome = await rerunWorkflow(world, job.runId, { chosen: [run.name], login });
  return outcome === 'started' ? created({}) : failure(422, 'This check run is not rerequestable');
}

async function statusesOf(
  request: RestRequest,
  repository: Repository,
  ref: string,
): Promise<readonly CommitStatus[] | null> {
  const sha = await resolveCommit(repository.git, ref);
  if (sha === null) return null;
  const all = [...request.world.state.statuses.values()];
  return all.filter((status) => status.repositoryId === repository.id && status.sha === sha).toReversed();
}

async function combinedStatus(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world } = request;
  const all = await statusesOf(request, repository, textParam(request, 'ref'));
  const sha = await resolveCommit(repository.git, textParam(request, 'ref'));
  if (all === null || sha === null) return failure(404, 'No commit found');
  const latest = [...new Map(all.toReversed().map((status) => [status.context, status])).values()];
  const page = paginate(request, latest);
  const url = `${repositoryApi(world, repository)}/commits/${sha}`;
  const body = {
    state: toCombinedState(latest),
    statuses: page.items.map((status) => renderSentStatus(world, status)),
    sha,
    total_count: latest.length,
    repository: renderRepository(world, repository),
    commit_url: url,
    url: `${url}/status`,
  };
  return { status: 200, body, headers: page.headers };
}

function toCombinedState(statuses: readonly CommitStatus[]): string {
  if (statuses.some(({ state }) => state === 'failure' || state === 'error')) return 'failure';
  return statuses.length > 0 && statuses.every(({ state }) => state === 'success') ? 'success' : 'pending';
}

async function createStatus(request: RestRequest, repository: Repository): Promise<Reply> {
  const { world, body, caller } = request;
  const sha = await resolveCommit(repository.git, textParam(request, 'sha'));
  const state = (['error', 'failure', 'pending', 'success'] as const).find((known) => known === body['state']);
  if (sha === null || state === undefined) return failure(422, `No commit found for SHA: ${textParam(request, 'sha')}`);
  const status: CommitStatus = {
    id: world.nextId(),
    repositoryId: repository.id,
    sha,
    context: stringAt(body, 'context') ?? 'default',
    state,
    description: stringAt(body, 'description'),
    targetUrl: stringAt(body, 'target_url'),
    creatorLogin: loginOf(world, caller),
    createdAt: world.now(),
  };
  await addStatus(world, status);
  return created(renderStatus(world, status));
}
