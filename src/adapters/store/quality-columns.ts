import { z } from 'zod';
import type { CheckAnnotation } from '../../core/model/check-run.ts';
import { ANNOTATION_LEVELS, CHECK_RUN_CONCLUSIONS, CHECK_RUN_STATUSES } from '../../core/model/check-run.ts';
import { FINDING_KINDS, SEVERITIES } from '../../core/model/finding.ts';
import { parseSha } from '../../core/model/ids.ts';
import type { Acceptance, AcceptedFinding, BudgetSet } from '../../core/model/quality.ts';
import type { CheckRunContent } from '../../ports/github.ts';
import type { QualityReport } from '../../ports/quality-store.ts';
import { StoredProject } from '../../schemas/stored-engine-run.ts';

/** Stored form of `QualityAsk.paths`. */
export const StoredPaths: z.ZodType<readonly string[]> = z.array(z.string());

const StoredAnnotation: z.ZodType<CheckAnnotation> = z.strictObject({
  path: z.string(),
  startLine: z.number(),
  endLine: z.number(),
  startColumn: z.number().exactOptional(),
  endColumn: z.number().exactOptional(),
  level: z.enum(ANNOTATION_LEVELS),
  title: z.string().exactOptional(),
  message: z.string(),
});

const StoredContent: z.ZodType<CheckRunContent> = z.strictObject({
  name: z.string(),
  headSha: z.string().transform((value) => parseSha(value)),
  externalId: z.string(),
  status: z.enum(CHECK_RUN_STATUSES),
  conclusion: z.enum(CHECK_RUN_CONCLUSIONS).nullable(),
  title: z.string(),
  summary: z.string(),
  actions: z.array(z.strictObject({ identifier: z.string(), label: z.string(), description: z.string() })),
});

/** Stored form of a run's report that is still to be sent to GitHub. */
export const StoredReport: z.ZodType<QualityReport> = z.strictObject({
  content: StoredContent,
  annotations: z.array(StoredAnnotation),
});

/** Stored form of the findings that a run reported as new, and of accepted findings. */
export const StoredAcceptedFindings: z.ZodType<readonly AcceptedFinding[]> = z.array(
  z.strictObject({
    tool: z.string(),
    kind: z.enum(FINDING_KINDS),
    rule: z.string().nullable(),
    severity: z.enum(SEVERITIES),
    fingerprint: z.string(),
    message: z.string(),
    path: z.string().nullable(),
    line: z.number().nullable(),
  }),
) satisfies z.ZodType<Acceptance['findings']>;

/** Stored form of `BudgetSet`. */
export const StoredBudgets: z.ZodType<BudgetSet> = z.strictObject({
  engine: z.string(),
  project: StoredProject,
  signature: z.string(),
  files: z.array(
    z.strictObject({
      path: z.string().nullable(),
      counts: z.strictObject({ blocker: z.number(), high: z.number(), medium: z.number(), low: z.number() }),
    }),
  ),
  applied: z.array(z.strictObject({ fingerprint: z.string(), at: z.number() })),
});
