import { z } from 'zod';
import {
  ENGINE_KINDS,
  ENGINE_MODES,
  type EngineRun,
  EXIT_CATEGORIES,
  EXIT_KINDS,
  type RawExit,
} from '../core/model/engine.ts';
import { FINDING_KINDS, type Finding, SEVERITIES, TEST_OUTCOMES } from '../core/model/finding.ts';

/** Rows that were written before there were projects are about the root. */
export const StoredProject = z.string().default('.');

/** Stored form of a finding as a parser returns it. */
export const StoredParsedFinding = z.strictObject({
  kind: z.enum(FINDING_KINDS),
  rule: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  native: z.string().nullable(),
  message: z.string(),
  path: z.string().nullable(),
  line: z.number().nullable(),
  column: z.number().nullable(),
  endLine: z.number().nullable(),
  testId: z.string().nullable(),
  identity: z.string().nullable(),
  otherPlaces: z.array(z.strictObject({ path: z.string(), line: z.number().nullable() })).exactOptional(),
});

/** Stored form of a finding. */
export const StoredFinding: z.ZodType<Finding> = z.strictObject({
  ...StoredParsedFinding.shape,
  tool: z.string(),
  project: StoredProject,
  fingerprint: z.string(),
  likeness: z.string(),
});

/** Stored form of a run's exit. */
export const StoredExit: z.ZodType<RawExit> = z.strictObject({
  kind: z.enum(EXIT_KINDS),
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  durationMs: z.number(),
});

/** Stored form of test results. */
export const StoredTests = z.array(
  z.strictObject({
    id: z.string(),
    outcome: z.enum(TEST_OUTCOMES),
    path: z.string().nullable(),
  }),
);

/** Stored form of coverage. */
export const StoredCoverage = z.strictObject({
  files: z.array(
    z.strictObject({
      path: z.string(),
      covered: z.number(),
      total: z.number(),
      missingLines: z.array(z.number()),
    }),
  ),
});

/** Stored form of an engine run, for later comparison. */
export const StoredEngineRun: z.ZodType<EngineRun> = z.strictObject({
  engine: z.string(),
  project: StoredProject,
  kind: z.enum(ENGINE_KINDS),
  mode: z.enum(ENGINE_MODES),
  planHash: z.string(),
  signature: z.string(),
  version: z.string().nullable(),
  argv: z.array(z.string()),
  cwd: z.string(),
  exit: StoredExit,
  returnCode: z.number().nullable(),
  category: z.enum(EXIT_CATEGORIES),
  classifierVersion: z.number(),
  complete: z.boolean(),
  incompleteWhy: z.string().nullable(),
  unparsed: z.array(z.string()).exactOptional(),
  notes: z.array(z.string()).exactOptional(),
  findings: z.array(StoredFinding),
  tests: StoredTests.nullable(),
  coverage: StoredCoverage.nullable(),
  cached: z.boolean(),
});
