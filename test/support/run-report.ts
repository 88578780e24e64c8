import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { z } from 'zod';
import type { RunStage, toRunJson } from './run-stage.ts';

const Collections = z.array(z.looseObject({ stage: z.string(), incomplete: z.array(z.string()) }));
const Notes = z.looseObject({
  cause: z.string().nullable(),
  detail: z.string(),
  use: z.looseObject({ microUsd: z.number() }).nullable(),
});
const Result = z.looseObject({ branch: z.string().nullable() });
const Run = z.looseObject({
  run_id: z.string(),
  status: z.string(),
  summary_json: z.string(),
  collections_json: z.string(),
});
const Row = z.looseObject({ id: z.number(), status: z.string() });
const Task = Row.extend({ task_type: z.string() });
const Attempt = Row.extend({ task_id: z.number(), summary_json: z.string(), artifacts_json: z.string() });
const Finding = z.looseObject({ id: z.number(), collection: z.number() });
const Artifact = z.looseObject({ path: z.string(), sha256: z.string(), size_bytes: z.number() });
const Link = z.looseObject({ task_id: z.number(), finding_id: z.number() });
const Strings = z.array(z.string());

type Report = ReturnType<typeof toRunJson>;

/** Every number of the report of a run, from nothing but the six tables of document 001, and the files of its attempts. */
export async function recompute(
  stage: RunStage,
  runId: string,
): Promise<{
  readonly report: Report;
  /** Causes are part of a reason, which the report cuts. */
  readonly causes: readonly (readonly (string | null)[])[];
  readonly problems: readonly string[];
}> {
  const db = new SqliteDatabase(join(stage.root, 'state/ratchet/plans.db'), { readonly: true });
  const all = <Shape extends z.ZodType>(shape: Shape, text: string): readonly z.infer<Shape>[] =>
    z.array(shape).parse(db.prepare(text).all(runId));
  const [run] = all(Run, 'select * from runs where run_id = ?');
  if (run === undefined) throw new Error('there is no such run');
  const findings = all(Finding, 'select * from findings where run_id = ?');
  const tasks = all(Task, 'select * from tasks where run_id = ? order by id');
  const of = 'where task_id in (select id from tasks where run_id = ?)';
  const attempts = all(Attempt, `select * from attempts ${of} order by attempt_no`).map((attempt) => ({
    ...attempt,
    notes: Notes.parse(JSON.parse(attempt.summary_json)),
  }));
  const links = all(Link, `select * from task_findings ${of}`);
  const artifacts = all(Artifact, 'select * from artifacts where run_id = ?');
  db.close();
  const collections = Collections.parse(JSON.parse(run.collections_json));
  const toCount = (at: number): { readonly findings: number | null } | null => {
    const collection = collections[at];
    if (collection === undefined) return null;
    const count = findings.filter((finding) => finding.collection === at + 1).length;
    return { findings: collection.incomplete.length === 0 ? count : null };
  };
  const microUsd = attempts.reduce((sum, { notes }) => sum + (notes.use?.microUsd ?? 0), 0);
  const ofTask = (id: number) => attempts.filter((attempt) => attempt.task_id === id);
  const known = new Set(artifacts.map(({ path }) => path));
  const missing = attempts.flatMap(({ artifacts_json }) =>
    Strings.parse(JSON.parse(artifacts_json)).flatMap((path) => (known.has(path) ? [] : [`${path} is not recorded`])),
  );
  const ids = new Set(findings.map(({ id }) => id));
  const loose = tasks.flatMap(({ id }) =>
    links.some((link) => link.task_id === id && ids.has(link.finding_id)) ? [] : [`task ${String(id)} has no finding`],
  );
  return {
    report: {
      runId: run.run_id,
      status: run.status,
      baseline: toCount(0),
      final: toCount(collections.findIndex(({ stage: at }) => at === 'final')),
      tasks: tasks.map(({ id, task_type, status }) => ({
        ...{ id, type: task_type, status },
        attempts: ofTask(id).map((attempt) => ({ status: attempt.status, reason: attempt.notes.cause })),
      })),
      branch: Result.parse(JSON.parse(run.summary_json)).branch,
      costUsd: microUsd / 1_000_000,
    },
    causes: tasks.map(({ id }) => ofTask(id).map(({ notes }) => notes.cause)),
    problems: [...missing, ...loose, ...(await findDamagedFiles(stage, artifacts))],
  };
}

/** The report with no more of each reason than the cause. */
export function withCauses(report: Report): Report {
  const toCause = (reason: string | null): string | null => reason?.split(':')[0] ?? null;
  return {
    ...report,
    tasks: report.tasks.map((task) => ({
      ...task,
      attempts: task.attempts.map(({ status, reason }) => ({ status, reason: toCause(reason) })),
    })),
  };
}

async function findDamagedFiles(
  stage: RunStage,
  artifacts: readonly z.infer<typeof Artifact>[],
): Promise<readonly string[]> {
  const folder = await stage.artifacts();
  return artifacts.flatMap(({ path, sha256, size_bytes: size }) => {
    const file = join(folder, path);
    const { mode, size: bytes } = statSync(file);
    const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
    const isGood = (mode & 0o777) === 0o600 && bytes === size && hash === sha256;
    return isGood ? [] : [`${path} is not what is recorded`];
  });
}
