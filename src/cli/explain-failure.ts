import { z } from 'zod';
import { classifyFailure } from '../core/ci/classify-failure.ts';
import { toHardestJob } from '../core/ci/diagnose-failure.ts';
import type { FailedJob } from '../core/ci/failed-job.ts';
import { toFailureSignature } from '../core/ci/failure-signature.ts';
import { toFailureLines } from '../core/ci/to-failure-lines.ts';
import type { LogFailure } from '../core/evidence/log-failure.ts';
import { type LogDigest, readLog } from '../core/evidence/read-log.ts';
import { createPathResolver, type ResolvePath } from '../core/evidence/resolve-path.ts';
import { toExcerpt } from '../core/evidence/to-log-excerpt.ts';
import type { FailureClass } from '../core/model/failure-class.ts';
import { CHECK_CONCLUSIONS } from '../core/model/pull-request.ts';
import { parseBySchema } from '../schemas/invalid-input.ts';

/** Bytes of the excerpt without `--max-bytes`. */
export const DEFAULT_EXCERPT_BYTES = 32 * 1024;

/** A message, or an annotation as GitHub's REST API returns it. Only failures count. */
const Annotation = z.union([
  z.string(),
  z.looseObject({ message: z.string(), annotation_level: z.string().optional() }),
]);

const ExplainFailureInput = z.strictObject({
  jobs: z
    .array(
      z.strictObject({
        name: z.string(),
        conclusion: z.enum(CHECK_CONCLUSIONS).default('failure'),
        log: z.string().nullable().default(null),
        annotations: z.array(Annotation).max(1000).default([]),
      }),
    )
    .min(1, 'expected at least one job')
    .max(100),
  files: z.array(z.string()).max(100_000).default([]),
});

type InputJob = z.output<typeof ExplainFailureInput>['jobs'][number];

/** One failure that a log names. */
type Finding = Pick<LogFailure, 'kind' | 'tool' | 'path' | 'line' | 'column' | 'rule' | 'testId' | 'message'> & {
  readonly job: string;
};

interface ExplainedJob {
  readonly name: string;
  readonly class: FailureClass;
  readonly why: string;
  readonly rule: string | null;
}

/** Answers `explain failure`. The class over all jobs is that of the one that is hardest to mend. @throws InvalidInputError */
export function explainFailure(
  json: unknown,
  maxBytes: number,
): ExplainedJob & {
  readonly signature: string;
  readonly excerpt: string;
  readonly named: readonly string[];
  readonly findings: readonly Finding[];
  readonly jobs: readonly ExplainedJob[];
} {
  const { jobs, files } = parseBySchema(ExplainFailureInput, json);
  const read = jobs.map((job, index) => readJob(job, { index, maxBytes: Math.floor(maxBytes / jobs.length) }));
  const failed = read.map(({ job }) => job);
  const resolve = createPathResolver(files);
  const shown = files.length === 0 ? {} : { resolve };
  return {
    ...toExplained(toHardestJob(failed)),
    signature: toFailureSignature(failed, []),
    excerpt: read.map(({ digest, budget }) => toExcerpt(digest, { maxBytes: budget, ...shown })).join('\n'),
    named: [...new Set(read.flatMap(toNames).flatMap((name) => resolve(name) ?? []))],
    findings: failed.flatMap((job) => toFindings(job, resolve)),
    jobs: failed.map(toExplained),
  };
}

interface ReadJob {
  readonly job: FailedJob;
  readonly digest: LogDigest;
  readonly budget: number;
}

function readJob(
  { name, conclusion, log, annotations }: InputJob,
  { index, maxBytes }: { readonly index: number; readonly maxBytes: number },
): ReadJob {
  const messages = annotations.flatMap((one) => {
    if (typeof one === 'string') return [one];
    return (one.annotation_level ?? 'failure') === 'failure' ? [one.message] : [];
  });
  const digest = readLog([...messages, log ?? ''].join('\n'), maxBytes);
  const check = { ...A_CHECK, id: index, name, conclusion };
  const failures = digest.failures.map(({ failure }) => failure);
  const lines = toFailureLines({ messages, log });
  return {
    job: { check, failures, lines, classified: classifyFailure({ check, failures, lines }) },
    digest,
    budget: maxBytes,
  };
}

/** What nobody asks about a job whose log was given. */
const A_CHECK: Omit<FailedJob['check'], 'id' | 'name' | 'conclusion'> = {
  ...{ source: 'check_run', appId: null, appSlug: null, event: null, headSha: '', status: 'completed' },
  ...{ startedAt: null, completedAt: null, detailsUrl: null, runAttempt: null },
};

const NO_LINE: Readonly<Record<FailureClass, string>> = {
  infrastructure: 'The conclusion says that no test ran to its end.',
  flake: 'A test depends on time or chance.',
  code: 'A test, a compiler or a linter says so.',
  person: 'Only a person can mend it.',
  unknown: 'No line says why.',
};

function toExplained({ check: { name }, classified }: FailedJob): ExplainedJob {
  const { class: is, line, rule } = classified;
  return { name, class: is, why: line ?? NO_LINE[is], rule };
}

/** Names of files that stand in failures and near them, the likeliest first. */
function toNames({ job, digest }: ReadJob): readonly string[] {
  return [...job.failures.flatMap(({ path }) => path ?? []), ...digest.names];
}

function toFindings({ check, failures }: FailedJob, resolve: ResolvePath): readonly Finding[] {
  return failures
    .filter(({ kind }) => kind === 'test' || kind === 'place' || kind === 'exception')
    .map(({ kind, tool, path, line, column, rule, testId, message }) => ({
      ...{
        job: check.name,
        kind,
        tool,
        path: path === null ? null : (resolve(path) ?? path),
        line,
        column,
        rule,
        testId,
        message,
      },
    }));
}
