import { hasStoppedEarly } from '../../core/evidence/stopped-early.ts';
import { toLogExcerpt } from '../../core/evidence/to-log-excerpt.ts';
import type { CheckAnnotation } from '../../core/model/check-run.ts';
import { toError } from '../../core/model/errors.ts';
import type { CheckResult, RepositoryRef } from '../../core/model/pull-request.ts';
import type { Deps } from '../deps.ts';
import { toEvidenceBytes } from './evidence-bytes.ts';
import type { PreparedFixup } from './fixup-session.ts';

/** Evidence of one failing check, as a file that the agent can read. */
export interface EvidenceFile {
  readonly check: CheckResult;
  /** Path inside the agent's site. */
  readonly path: string;
  /** Its test suite stopped at the first failure (trap 14). */
  readonly hasStoppedEarly: boolean;
}

/** Limits for the evidence of all jobs together (trap 43). */
const MAX_CHECKS = 20;
const MAX_ANNOTATIONS = 50;
const MAX_LOG_BYTES = 8 * 1024 * 1024;

/**
 * One file for each failing check: its annotations and an excerpt of its job log, redacted and bounded. If a log or annotations
 * cannot be read, the file says so and the attempt continues. Returns the texts by file name, and the files.
 */
export async function collectEvidence(
  deps: Pick<Deps, 'github' | 'log' | 'redactLong' | 'sites' | 'store'>,
  prepared: Pick<PreparedFixup, 'session'>,
  failing: readonly CheckResult[],
  signal: AbortSignal,
): Promise<{ readonly texts: Readonly<Record<string, string>>; readonly files: readonly EvidenceFile[] }> {
  const texts: Record<string, string> = {};
  const repository = deps.store.workspace(prepared.session.key)?.repository;
  if (repository === undefined) return { texts, files: [] };
  const shown = failing.slice(0, MAX_CHECKS);
  const budget = Math.floor(toEvidenceBytes(deps, prepared.session) / Math.max(1, shown.length));
  const told = shown.filter(hasEvidence);
  const annotations = await orNull(deps, deps.github.readAllAnnotations(repository, told, MAX_ANNOTATIONS, signal));
  const files: EvidenceFile[] = [];
  for (const [index, check] of shown.entries()) {
    const name = `check-${String(index + 1)}.txt`;
    const text = await deps.redactLong(
      await readEvidence(deps, repository, { check, budget, annotations: annotations?.get(check.id) ?? [] }, signal),
    );
    texts[name] = text;
    files.push({ check, path: `${deps.sites.layout.inputs}/${name}`, hasStoppedEarly: hasStoppedEarly(text) });
  }
  return { texts, files };
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
  const log = await orNull(deps, deps.github.readJobLog(repository, check, MAX_LOG_BYTES, signal));
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
