import { createLogReader, type LogDigest } from '../../core/evidence/read-log.ts';
import { createPathResolver, type ResolvePath } from '../../core/evidence/resolve-path.ts';
import { toFailuresJson } from '../../core/evidence/to-failures-json.ts';
import { toExcerpt } from '../../core/evidence/to-log-excerpt.ts';
import type { CheckAnnotation } from '../../core/model/check-run.ts';
import { toError } from '../../core/model/errors.ts';
import type { CheckResult, RepositoryRef } from '../../core/model/pull-request.ts';
import type { ShownCheck } from '../../core/prompts/to-ci-prompt.ts';
import { findRegistered } from '../../engines/log/match-registered.ts';
import { readSigns } from '../../engines/log/read-signs.ts';
import { toLogLines } from '../../engines/log/to-log-lines.ts';
import type { Deps } from '../deps.ts';
import type { PreparedFixup } from './fixup-session.ts';

/** Limits for the evidence of all jobs together (trap 43). */
const MAX_CHECKS = 20;
const MAX_ANNOTATIONS = 50;
/** The end of a log, in which reports of tools are searched. The excerpt is made of all of it. */
const MAX_LOG_BYTES = 512 * 1024;
const MAX_MATCHER_BYTES = 64 * 1024;
/** The share of the list of failures in the evidence of one check, and its limit. The rest is for the log. */
const LIST_SHARE = 0.25;
const MAX_LIST_BYTES = 16 * 1024;

type EvidenceDeps = Pick<Deps, 'git' | 'github' | 'log' | 'redactLong' | 'store'>;
type Attempt = Pick<PreparedFixup, 'repository' | 'session' | 'tracked'>;

/**
 * For each failing check a text, with its annotations and an excerpt of its job log, and a list of the failures that the log names;
 * all of it redacted, and together about `maxBytes`. If a log or annotations cannot be read, the text says so and the attempt
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
  const reader = createLogReader(budget);
  const end = { maxBytes: MAX_LOG_BYTES, take: reader.push };
  const log = await orNull(deps, deps.github.readJobLog(repository, check, end, signal));
  const listBytes = Math.min(MAX_LIST_BYTES, Math.floor(budget * LIST_SHARE));
  const want = { log: log ?? '', digest: reader.end(), resolve, budget, listBytes };
  const read = log === null ? null : await readJob(deps, prepared, want, signal);
  const annotationText = annotations
    .map(({ level, path, startLine, message }) => `${level}: ${path}:${String(startLine)}: ${message}`)
    .join('\n');
  const excerpt = read?.excerpt ?? '(no log can be read)';
  return {
    text: `${header}\nAnnotations:\n${annotationText || '(none)'}\n\nLog excerpt:\n${excerpt}\n`,
    failures: read?.failures ?? '',
  };
}

/** A log, and its end as text. */
interface ReadLog {
  readonly digest: LogDigest;
  readonly log: string;
}

/** The failures that a log names, and an excerpt with the bytes that they leave. */
async function readJob(
  { git, log: appLog }: Pick<Deps, 'git' | 'log'>,
  { repository, session }: Attempt,
  want: Pick<Wanted, 'resolve' | 'budget'> & ReadLog & { readonly listBytes: number },
  signal: AbortSignal,
): Promise<{ readonly excerpt: string; readonly failures: string }> {
  const { log, digest, resolve, budget, listBytes } = want;
  const lines = toLogLines(log);
  const paths = findRegistered(lines);
  const files = { treeish: session.fixup.headSha, paths, maxBytes: MAX_MATCHER_BYTES };
  const definitions = paths.length === 0 ? {} : await orNull({ log: appLog }, git.readFiles(repository, files, signal));
  const signs = readSigns({ groups: digest.failures, lines, definitions: Object.values(definitions ?? {}) });
  const failures = toFailuresJson(signs, resolve, listBytes);
  return { excerpt: toExcerpt(digest, { maxBytes: budget - Buffer.byteLength(failures), resolve }), failures };
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
