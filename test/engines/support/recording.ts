import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { judgeRun } from '../../../src/core/engines/judge-run.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../../../src/core/model/default-policy.ts';
import { type EngineSpec, EXIT_KINDS, type ParseInput, type Payload } from '../../../src/core/model/engine.ts';
import type { ParsedFinding } from '../../../src/core/model/finding.ts';

/** What the root and the folder for reports are called in a recording, whatever they were called on the machine that made it. */
export const RECORDED_ROOT = '/workspace';
export const RECORDED_ARTIFACTS = '/artifacts';

const RECORDINGS = join(import.meta.dirname, '../recordings');

/** What a payload says, in lines that a person can review. */
export const PayloadDigest = z.strictObject({
  kind: z.enum(['parsed', 'empty', 'missing', 'invalid']),
  /** Of an invalid payload why. */
  why: z.string().optional(),
  partial: z.string().nullable().optional(),
  toolFailure: z.string().nullable().optional(),
  /** `severity (native) kind rule path:line:column-endLine message`, and of tests `| id | identity`. */
  findings: z.array(z.string()).optional(),
  /** `outcome id`, sorted; null: no test engine. */
  tests: z.array(z.string()).nullable().optional(),
  /** `path covered/total missing lines`; null: no coverage engine. */
  coverage: z.array(z.string()).nullable().optional(),
});
export type PayloadDigest = z.infer<typeof PayloadDigest>;

/** What is to be thought of the run in the end: how it ended and what it wrote, together. */
export const JudgedDigest = z.strictObject({
  category: z.string(),
  /** Kind of the engine error; null: its answer can be taken. */
  error: z.string().nullable(),
  complete: z.boolean(),
});
export type JudgedDigest = z.infer<typeof JudgedDigest>;

/** One real run of one tool on one small project: all that a parser gets to see, and what it has to make of it. */
export const Recording = z.strictObject({
  tool: z.string(),
  case: z.string(),
  version: z.string().nullable(),
  /** Of the last step. */
  argv: z.array(z.string()),
  cwd: z.string(),
  exit: z.strictObject({
    kind: z.enum(EXIT_KINDS),
    exitCode: z.number().nullable(),
    signal: z.string().nullable(),
    durationMs: z.number(),
  }),
  earlierExitCodes: z.array(z.number().nullable()),
  stdout: z.string(),
  stderr: z.string(),
  reports: z.record(z.string(), z.string().nullable()),
  expected: PayloadDigest,
  judged: JudgedDigest,
});
export type Recording = z.infer<typeof Recording>;
/** What was seen of it, without what is thought of it. */
export type RecordedRun = Omit<Recording, 'expected' | 'judged'>;

/** All recordings of one tool, by case. */
export function readRecordings(tool: string): readonly Recording[] {
  const folder = join(RECORDINGS, tool);
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted();
  return names.map((name) => Recording.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))));
}

/** One recording; throws when there is none, or one of another shape. */
export function readRecording(tool: string, name: string): Recording {
  return Recording.parse(JSON.parse(readFileSync(toRecordingPath(tool, name), 'utf8')));
}

export function toRecordingPath(tool: string, name: string): string {
  return join(RECORDINGS, tool, `${name}.json`);
}

/** What the tool's parser makes of a recorded run. */
export function replay(spec: EngineSpec, recording: RecordedRun): Payload {
  return spec.parse(toParseInput(spec, recording));
}

/** The run as a host would hand it over: the declared stream or report file, and what the parser may know beside it. */
export function toParseInput(spec: EngineSpec, recording: RecordedRun, root: string = RECORDED_ROOT): ParseInput {
  return {
    text: toText(spec, recording),
    reports: recording.reports,
    stderr: recording.stderr,
    root,
    cwd: '.',
    exitCode: recording.exit.exitCode,
    earlierExitCodes: recording.earlierExitCodes,
    version: recording.version,
  };
}

/** Fails where the parser makes anything else of the run, or it is judged otherwise, than the recording expects. */
export function checkRecording(spec: EngineSpec, recording: Recording): void {
  const { expected, judged } = recording;
  const payload = replay(spec, recording);

  expect({ expected: toDigest(payload), judged: judge(spec, recording, payload) }).toEqual({ expected, judged });
}

/** The run as it is judged where its dependencies are there and no policy says anything of the engine. */
export function judge(spec: EngineSpec, recording: RecordedRun, payload: Payload): JudgedDigest {
  const { version, argv, cwd, exit, stderr } = recording;
  const { category, error, complete } = judgeRun({
    ...{ spec, version, argv, cwd, exit, payload, stderr },
    plan: { engine: spec.id, project: '.', mode: 'target' },
    settings: DEFAULT_ENGINE_SETTINGS,
    dependencies: 'ready',
  });
  return { category, error: error?.kind ?? null, complete };
}

/** A payload in lines: nothing of it is lost that a later step decides by. */
export function toDigest(payload: Payload): PayloadDigest {
  if (payload.kind === 'invalid') return { kind: 'invalid', why: payload.why };
  if (payload.kind !== 'parsed') return { kind: payload.kind };
  const tests = payload.tests?.map(({ outcome, id }) => `${outcome} ${id}`).toSorted() ?? null;
  const coverage =
    payload.coverage?.files.map(({ path, covered, total, missingLines }) =>
      `${path} ${covered}/${total} ${missingLines.join(',')}`.trim(),
    ) ?? null;
  return {
    kind: 'parsed',
    partial: payload.partial,
    toolFailure: payload.toolFailure,
    findings: payload.findings.map(toRow),
    tests,
    coverage,
  };
}

function toRow(finding: ParsedFinding): string {
  const { severity, native, kind, rule, path, line, column, endLine, message, testId, identity } = finding;
  const place = `${path ?? '-'}:${line ?? '-'}:${column ?? '-'}-${endLine ?? '-'}`;
  const row = `${severity} (${native ?? '-'}) ${kind} ${rule ?? '-'} ${place} ${message}`;
  return testId === null && identity === null ? row : `${row} | ${testId ?? '-'} | ${identity ?? '-'}`;
}

function toText(spec: EngineSpec, { stdout, stderr, reports }: RecordedRun): string | null {
  const { from, reports: names = [] } = spec.output;
  if (from !== 'file') return from === 'stdout' ? stdout : stderr;
  return reports[names[0] ?? ''] ?? null;
}
