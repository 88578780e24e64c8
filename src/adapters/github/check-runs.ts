import { z } from 'zod';
import type { CheckAnnotation } from '../../core/model/check-run.ts';
import type { CheckResult, RepositoryRef } from '../../core/model/pull-request.ts';
import { type AnnotationNode, AnnotationsResponse } from '../../payloads/pull-request-schema.ts';
import type { CheckRunContent } from '../../ports/github.ts';
import { parseResponse } from './parse-response.ts';
import { annotationsQuery } from './pull-request-query.ts';
import { findOrCreate, type RepositoryCalls } from './repository-calls.ts';

const Created = z.object({ id: z.number().int().positive() });

const CheckRunPage = z.object({
  check_runs: z.array(
    z.object({
      id: z.number().int().positive(),
      name: z.string(),
      external_id: z.string().nullable(),
      app: z.object({ id: z.number().int() }).nullable(),
    }),
  ),
});
type ListedCheckRun = z.infer<typeof CheckRunPage>['check_runs'][number];

const Annotation = z.object({
  path: z.string(),
  start_line: z.number().int(),
  end_line: z.number().int(),
  annotation_level: z.string().nullable(),
  message: z.string().nullable(),
});

/** Dependencies of `createCheckRun`. */
export interface CheckRunDeps {
  readonly calls: RepositoryCalls;
  readonly appId: number;
  readonly waitBefore: (tries: number) => Promise<void>;
}

/** The check run to create. `isFirst` means that none was sent before, so the first search is skipped. */
interface CheckRunToCreate {
  readonly repository: RepositoryRef;
  readonly content: CheckRunContent;
  readonly isFirst: boolean;
}

/** Creates the check run, or updates the App's own one with the same head, name and external id. Returns its id. */
export async function createCheckRun(
  { calls, appId, waitBefore }: CheckRunDeps,
  { repository, content, isFirst }: CheckRunToCreate,
  signal: AbortSignal,
): Promise<number> {
  const { value, isNew } = await findOrCreate(
    () => findOwnCheckRun(calls, { repository, content, appId }, signal),
    async () => {
      const route = 'POST /repos/{owner}/{repo}/check-runs';
      const parameters = { ...toParameters(content), head_sha: content.headSha };
      const response = await calls.call({ repository, route, parameters, access: 'write', signal });
      return parseResponse(Created, response.data, 'check run').id;
    },
    { waitBefore, isFirst },
  );
  // It already has its annotations, and an update would add them again.
  const update = { repository, checkRunId: value, content: { ...content, annotations: [] } };
  if (!isNew) await updateCheckRun(calls, update, signal);
  return value;
}

/** Updates a check run. GitHub appends annotations, so only a call without them is idempotent and repeated. */
export async function updateCheckRun(
  calls: RepositoryCalls,
  update: { readonly repository: RepositoryRef; readonly checkRunId: number; readonly content: CheckRunContent },
  signal: AbortSignal,
): Promise<void> {
  await calls.call({
    repository: update.repository,
    route: 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
    parameters: { check_run_id: update.checkRunId, ...toParameters(update.content) },
    access: 'write',
    isIdempotent: (update.content.annotations ?? []).length === 0,
    signal,
  });
}

/** Returns at most `limit` annotations of a check run; none for a commit status. */
export async function readAnnotations(
  calls: RepositoryCalls,
  of: {
    readonly repository: RepositoryRef;
    readonly check: Pick<CheckResult, 'source' | 'id'>;
    readonly limit: number;
  },
  signal: AbortSignal,
): Promise<readonly CheckAnnotation[]> {
  const { repository, check, limit } = of;
  if (check.source !== 'check_run') return [];
  const route = 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations';
  const items = await calls.list(
    { repository, route, parameters: { check_run_id: check.id }, access: 'read', signal },
    (page) => parseResponse(z.array(z.unknown()), page, 'annotations'),
    limit,
  );
  return items.map((item) => toAnnotation(parseResponse(Annotation, item, 'annotation')));
}

/** Returns at most `limit` annotations for each check run, by check run id. */
export async function readAllAnnotations(
  calls: Pick<RepositoryCalls, 'graphql'>,
  of: { readonly repository: RepositoryRef; readonly checks: readonly CheckResult[]; readonly limit: number },
  signal: AbortSignal,
): Promise<ReadonlyMap<number, readonly CheckAnnotation[]>> {
  const named = new Map(of.checks.flatMap(({ id, nodeId }) => (nodeId === undefined ? [] : [[nodeId, id]])));
  if (named.size === 0) return new Map();
  const document = { query: annotationsQuery, variables: { ids: [...named.keys()], first: of.limit } };
  const data = parseResponse(
    AnnotationsResponse.nullable(),
    await calls.graphql(of.repository, document, signal),
    'annotations',
  );
  const found = new Map<number, readonly CheckAnnotation[]>();
  for (const node of data?.nodes ?? []) {
    const id = named.get(node?.id ?? '');
    if (id !== undefined) found.set(id, (node?.annotations?.nodes ?? []).map(toListedAnnotation));
  }
  return found;
}

async function findOwnCheckRun(
  calls: RepositoryCalls,
  wanted: { readonly repository: RepositoryRef; readonly content: CheckRunContent; readonly appId: number },
  signal: AbortSignal,
): Promise<number | null> {
  const { repository, content, appId } = wanted;
  const parameters = { ref: content.headSha, check_name: content.name, app_id: appId, filter: 'all' };
  const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
  const own: number[] = [];
  await calls.list({ repository, route, parameters, access: 'write', signal }, (page) => {
    const { check_runs: runs } = parseResponse(CheckRunPage, page, 'check runs');
    own.push(...runs.filter((run) => isWanted(run, content, appId)).map(({ id }) => id));
    return runs;
  });
  return own.length === 0 ? null : Math.max(...own);
}

function isWanted(run: ListedCheckRun, content: CheckRunContent, appId: number): boolean {
  return run.app?.id === appId && run.name === content.name && run.external_id === content.externalId;
}

function toParameters(content: CheckRunContent): Readonly<Record<string, unknown>> {
  const { name, externalId, status, conclusion, title, summary, actions, annotations = [] } = content;
  return {
    name,
    external_id: externalId,
    status,
    ...(status === 'completed' && conclusion !== null ? { conclusion } : {}),
    output: { title, summary, ...(annotations.length === 0 ? {} : { annotations: annotations.map(toParameter) }) },
    actions,
  };
}

function toParameter(annotation: CheckAnnotation): Readonly<Record<string, unknown>> {
  const { path, startLine, endLine, startColumn, endColumn, level, title, message } = annotation;
  return {
    path,
    start_line: startLine,
    end_line: endLine,
    ...(startColumn === undefined ? {} : { start_column: startColumn }),
    ...(endColumn === undefined ? {} : { end_column: endColumn }),
    annotation_level: level,
    ...(title === undefined ? {} : { title }),
    message,
  };
}

function toAnnotation(annotation: z.infer<typeof Annotation>): CheckAnnotation {
  return {
    path: annotation.path,
    startLine: annotation.start_line,
    endLine: annotation.end_line,
    level: toLevel(annotation.annotation_level),
    message: annotation.message ?? '',
  };
}

function toListedAnnotation({ path, location, annotationLevel, message }: AnnotationNode): CheckAnnotation {
  const level = toLevel(annotationLevel?.toLowerCase() ?? null);
  return { path, startLine: location.start.line, endLine: location.end.line, level, message };
}

function toLevel(level: string | null): CheckAnnotation['level'] {
  return level === 'failure' || level === 'warning' ? level : 'notice';
}
