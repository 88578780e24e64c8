import { z } from 'zod';
import { classifyExit, indicatesFailure } from '../core/engines/classify-exit.ts';
import { findOverlap, renderOverlap } from '../core/engines/exit-codes.ts';
import type { ExitCategory, ExitCodes } from '../core/model/engine.ts';
import { parseBySchema } from '../schemas/invalid-input.ts';

const MAX_CODES = 1000;
const WHOLE = 'expected a whole number';
const COUNT = `${WHOLE}, 0 or more`;

const Count = z.int(COUNT).min(0, COUNT);
const Codes = z.array(Count).max(MAX_CODES).default([]);

/** Input of `explain exit`: the exit of one tool, and its declared exit codes. */
const ExplainExitInput = z.strictObject({
  tool: z.string().default(''),
  /** Python and others report a signal as a negative code. Every whole number has a category (003.R1). */
  exitCode: z.int(WHOLE),
  diagnostics: Count,
  isFix: z.boolean().default(false),
  ignoreExit: Codes,
  exitCodes: z
    .strictObject({ success: Codes, diagnostic: Codes, toolFailure: Codes })
    .prefault({})
    .superRefine(refuseOverlap),
});

/** Answers `explain exit`. @throws InvalidInputError that lists each problem with its place. */
export function explainExit(json: unknown): {
  readonly category: ExitCategory;
  readonly returnCode: number | null;
  readonly indicatesFailure: boolean;
} {
  const facts = parseBySchema(ExplainExitInput, json);
  const { category, returnCode } = classifyExit(facts);
  return {
    category,
    returnCode,
    indicatesFailure: indicatesFailure({ category, returnCode, diagnostics: facts.diagnostics }),
  };
}

function refuseOverlap(codes: ExitCodes, context: z.RefinementCtx): void {
  const overlap = findOverlap(codes);
  if (overlap !== null) context.addIssue({ code: 'custom', message: renderOverlap(overlap) });
}
