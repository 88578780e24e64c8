import { z } from 'zod';
import type { TestResult } from '../../core/model/finding.ts';
import { readJson } from '../parse/read-json.ts';
import type { PytestReading, PytestResult } from './pytest-results.ts';

const Stage = z.object({
  outcome: z.string(),
  crash: z.object({ message: z.string() }).nullish(),
  longrepr: z.string().nullish(),
});
type Stage = z.infer<typeof Stage>;

const JsonTest = z.object({
  nodeid: z.string().min(1),
  /** 0-based. */
  lineno: z.int().nullish(),
  outcome: z.string(),
  setup: Stage.optional(),
  call: Stage.optional(),
  teardown: Stage.optional(),
});
type JsonTest = z.infer<typeof JsonTest>;

/** The part of pytest-json-report's format that is read (https://github.com/numirias/pytest-json-report#format). */
const JsonReport = z.object({
  exitcode: z.int(),
  collectors: z
    .array(z.object({ nodeid: z.string(), outcome: z.string(), longrepr: z.string().nullish() }))
    .default([]),
  tests: z.array(JsonTest),
});

const MAX_TESTS = 100_000;
const INTERNAL_ERROR = 3;
const OUTCOME_OF: Readonly<Record<string, TestResult['outcome']>> = {
  passed: 'passed',
  xpassed: 'passed',
  skipped: 'skipped',
  xfailed: 'skipped',
  failed: 'failed',
  error: 'error',
};

/** Results of pytest-json-report, which contains the tests' node ids. */
export function readPytestJson(text: string): PytestReading {
  const reading = readJson(text, JsonReport);
  if (reading.kind === 'invalid') return { kind: 'invalid', why: `pytest's JSON report: ${reading.why}` };
  const { exitcode, tests, collectors } = reading.value;
  const broken = collectors.filter(({ outcome }) => outcome === 'failed');
  return {
    kind: 'ok',
    results: [
      ...broken.map(({ nodeid, longrepr }) => ({
        id: nodeid,
        file: toFile(nodeid),
        line: null,
        outcome: 'error' as const,
        isCollection: true,
        message: null,
        trace: longrepr ?? '',
      })),
      ...tests.slice(0, MAX_TESTS).map(toResult),
    ],
    isCut: tests.length > MAX_TESTS,
    internalError: exitcode === INTERNAL_ERROR ? 'internal error of pytest' : null,
  };
}

function toResult(test: JsonTest): PytestResult {
  const stage = findBroken(test);
  return {
    id: test.nodeid,
    file: toFile(test.nodeid),
    line: typeof test.lineno === 'number' ? test.lineno + 1 : null,
    outcome: toOutcome(test),
    isCollection: false,
    message: stage?.crash?.message ?? null,
    trace: stage?.longrepr ?? '',
  };
}

/** Plugins add outcomes (`rerun`); then the stages of the last try decide. */
function toOutcome({ outcome, setup, call, teardown }: JsonTest): TestResult['outcome'] {
  const stages = [setup, call, teardown];
  const isPassed = stages.every((stage) => stage?.outcome === 'passed');
  return OUTCOME_OF[outcome] ?? (isPassed ? 'passed' : 'error');
}

/** The stage that is reported. An error in setup or teardown comes before the test's own failure, as in the JUnit report. */
function findBroken({ outcome, setup, call, teardown }: JsonTest): Stage | undefined {
  const stages = outcome === 'error' ? [setup, teardown, call] : [call, setup, teardown];
  return stages.find((stage) => stage?.outcome === 'failed');
}

/** Up to the first `::` only: a parameter id may contain `::` and `/`. */
function toFile(nodeId: string): string | null {
  const file = nodeId.split('::', 1)[0] ?? '';
  return file === '' ? null : file;
}
