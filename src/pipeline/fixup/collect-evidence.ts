import { createLogReader } from '../../core/evidence/read-log.ts';
import { createPathResolver, type ResolvePath } from '../../core/evidence/resolve-path.ts';
import type { CheckAnnotation } from '../../core/model/check-run.ts';
import { toError } from '../../core/model/errors.ts';
import type { CheckResult, RepositoryRef } from '../../core/model/pull-request.ts';
import type { ShownCheck } from '../../core/prompts/to-ci-prompt.ts';
import { createRegisteredMatchers } from '../../engines/log/registered-matchers.ts';
import { type JobEvidence, toJobEvidence } from '../../engines/log/to-job-evidence.ts';
import { toLogLines } from '../../engines/log/to-log-lines.ts';
import type { Deps } from '../deps.ts';
import type { PreparedFixup } from './fixup-session.ts';

/** Limits for the evidence of all jobs together (trap 43). */
const MAX_CHECKS = 20;
const MAX_ANNOTATIONS = 50;
/** Of the end of a log, which is searched for reports and by problem matchers. The excerpt is of the whole log. */
const MAX_END_BYTES = 1024 * 1024;
const MAX_MATCHER_BYTES = 64 * 1024;
type EvidenceDeps = Pick<Deps, 'git' | 'github' | 'log' | 'redactLong' | 'store'>;
type Attempt = Pick<PreparedFixup, 'repository' | 'session' | 'tracked'>;

/**
 * For each failing check a text, with its annotations and an excerpt of its job log, and a list of the failures that both name; all of
 * it redacted, and together about `maxBytes`. If a log or annotations cannot be read, the text says so and the attempt
 * continues.
 */
export async function collectEvidence(
  deps: EvidenceDeps,
  prepared: Attempt,
  { failing, maxBytes }: { readonly failing: readonly CheckResult[]; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<readonly ShownCheck[]> {
  const repository = deps.store.workspace(prepared.session.key)?.repository;
  if (repository === undefined) return [];
  const shown = failing.slice(0, MAX_CHECKS);
  const budget = Math.floor(maxBytes / Math.max(1, shown.length));
  const told = shown.filter(hasEvidence);
  const annotations = await orNull(deps, deps.github.readAllAnnotations(repository, told, MAX_ANNOTATIONS, signal));
  const resolve = createPathResolver(prepared.tracked);
  const checks: ShownCheck[] = [];
  for (const check of shown) {
    const want = { check, budget, resolve, repository, annotations: annotations?.get(check.id) ?? [] };
    const { text, failures } = await readEvidence(deps, prepared, want, signal);
    checks.push({ check, text: await deps.redactLong(text), failures: await deps.redactLong(failures) });
  }
  return checks;
}

interface Wanted {
  readonly check: CheckResult;
  readonly budget: number;
  readonly resolve: ResolvePath;
  readonly repository: RepositoryRef;
  readonly annotations: readonly CheckAnnotation[];
}

type Evidence = Pick<ShownCheck, 'text' | 'failures'>;

async function readEvidence(
  deps: Pick<Deps, 'git' | 'github' | 'log'>,
  prepared: Attempt,
  { check, budget, resolve, repository, annotations }: Wanted,
  signal: AbortSignal,
): Promise<Evidence> {
  const header = `Check: ${check.name}\nConclusion: ${check.conclusion ?? check.status}\nCommit: ${check.headSha}\n`;
  if (!hasEvidence(check)) return { text: `${header}It has neither annotations nor a log.\n`, failures: '' };
  const { excerpt, failures } = await readJob(
    deps,
    prepared,
    { check, budget, resolve, repository, annotations },
    signal,
  );
  const annotationText = annotations
    .map(({ level, path, startLine, message }) => `${level}: ${path}:${String(startLine)}: ${message}`)
    .join('\n');
  return {
    text: `${header}\nAnnotations:\n${annotationText || '(none)'}\n\nLog excerpt:\n${excerpt ?? '(no log can be read)'}\n`,
    failures,
  };
}

/** What log and annotations of a job show, whatever their size. */
async function readJob(
  deps: Pick<Deps, 'git' | 'github' | 'log'>,
  prepared: Attempt,
  { check, budget: maxBytes, resolve, repository, annotations }: Wanted,
  signal: AbortSignal,
): Promise<JobEvidence> {
  const reader = createLogReader(maxBytes);
  const matchers = createRegisteredMatchers();
  const take = (piece: Uint8Array): void => {
    reader.push(piece);
    matchers.push(piece);
  };
  const want = { maxBytes: MAX_END_BYTES, take };
  const end = await orNull(deps, deps.github.readJobLog(repository, check, want, signal));
  const lines = toLogLines(end ?? '');
  const definitions = await readDefinitions(deps, prepared, matchers.paths(), signal);
  const digest = end === null ? null : reader.end();
  return toJobEvidence({ digest, lines, definitions, annotations, resolve, maxBytes });
}

async function readDefinitions(
  deps: Pick<Deps, 'git' | 'log'>,
  { repository, session }: Attempt,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const want = { treeish: session.fixup.headSha, paths, maxBytes: MAX_MATCHER_BYTES };
  return Object.values((await orNull(deps, deps.git.readFiles(repository, want, signal))) ?? {});
}

function hasEvidence({ source, appSlug }: CheckResult): boolean {
  return source !== 'status' && appSlug !== null;
}

async function orNull<Value>(deps: Pick<Deps, 'log'>, read: Promise<Value>): Promise<Value | null> {
  try {
    return await read;
  } catch (error) {
    deps.log.warn({ error: toError(error) }, 'evidence could not be read');
    return null;
  }
}
