import { z } from 'zod';
import { STEP_CAUSES, type StepCause } from '../../core/model/plan-run.ts';
import type { StructuredPlan } from '../../core/model/structured-plan.ts';
import type { Compensation } from '../../ports/execution.ts';
import { parseStructuredPlan } from '../../schemas/structured-plan.ts';

/** Stored form of a plan. */
export const StoredPlan: z.ZodType<StructuredPlan> = z.unknown().transform((json) => parseStructuredPlan(json));

/** Stored form of `StepResult.cause`. */
export const StoredCause: z.ZodType<StepCause> = z.strictObject({
  code: z.enum(STEP_CAUSES),
  step: z.union([z.number(), z.string()]).nullable(),
  message: z.string(),
});

/** Stored form of a compensation. Its adapter wrote it, and reads it. */
export const StoredCompensation: z.ZodType<Compensation> = z.record(z.string(), z.unknown());
