import { toLogExcerpt } from '../../core/evidence/to-log-excerpt.ts';
import type { CheckAnnotation } from '../../core/model/check-run.ts';
import { toError } from '../../core/model/errors.ts';
import type { CheckResult, RepositoryRef } from '../../core/model/pull-request.ts';
import type { ShownCheck } from '../../core/prompts/to-ci-prompt.ts';
import type { Deps } from '../deps.ts';
import type { PreparedFixup } from './fixup-session.ts';

/** Limits for the evidence of all jobs together (trap 43). */
const MAX_CHECKS = 20;
const MAX_ANNOTATIONS = 50;
const MAX_LOG_BYTES = 8 * 1024 * 1024;

/**
 * A text for each failing check: its annotations and an excerpt of its job log, redacted; together about `maxBytes`. If a log or
 * annotations cannot be read, the text says so and the attempt continues.
 */
export async function collectEvidence(
  deps: Pick<Deps, 'github' | 'log' | 'redactLong' | 'store'>,
  prepared: Pick<PreparedFixup, 'session'>,
  { failing, maxBytes }: { readonly failing: readonly CheckResult[]; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<readonly ShownCheck[]> {
  const repository = deps.store.workspace(prepared.session.key)?.repository;
  if (repository === undefined) return [];
  const shown = failing.slice(0, MAX_CHECKS);
  const budget = Math.floor(maxBytes / Math.max(1, shown.length));
  const told = shown.filter(hasEvidence);
  const annotations = await orNull(deps, deps.github.readAllAnnotations(repository, told, MAX_ANNOTATIONS, signal));
  const checks: ShownCheck[] = [];
  for (const check of shown) {
    const want = { check, budget, annotations: annotations?.get(check.id) ?? [] };
    checks.push({ check, text: await deps.redactLong(await readEvidence(deps, repository, want, signal)) });
  }
  return checks;
}

async function readEvidence(
  deps: Pick<Deps, 'github' | 'log'>,
  repository: RepositoryRef,
  want: { readonly check: CheckResult; readonly budget: number; readonly annotations: readonly CheckAnnotation[] },
  signal: AbortSignal,
): Promise<string> {
  const { check, budget, annotations } = want;
  const header = `Check: ${check.name}\nConclusion: ${check.conclusion ?? check.status}\nCommit: ${check.headSha}\n`;
  if (!hasEvidence(check)) return `${header}It has neither annotations nor a log.\n`;
  const log = await orNull(deps, deps.github.readJobLog(repository, check, { maxBytes: MAX_LOG_BYTES }, signal));
  const annotationText = annotations
    .map(({ level, path, startLine, message }) => `${level}: ${path}:${String(startLine)}: ${message}`)
    .join('\n');
  const excerpt = log === null ? '(no log can be read)' : toLogExcerpt(log, { maxBytes: budget });
  return `${header}\nAnnotations:\n${annotationText || '(none)'}\n\nLog excerpt:\n${excerpt}\n`;
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
