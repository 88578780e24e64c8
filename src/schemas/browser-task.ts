import { z } from 'zod';
import type { BrowserReport, BrowserTask } from '../core/model/browser-step.ts';
import { parseBySchema } from './invalid-input.ts';
import { BrowserParams } from './structured-plan.ts';

const Task = BrowserParams.extend({
  browser: z.string(),
  timeoutMs: z.number(),
}) satisfies z.ZodType<BrowserTask>;

/** Parses what the program beside a browser is told. @throws InvalidInputError */
export function parseBrowserTask(json: unknown): BrowserTask {
  return parseBySchema(Task, json);
}

/** Parses the parameters of a step. @throws InvalidInputError */
export function parseBrowserStep(json: unknown): z.output<typeof BrowserParams> {
  return parseBySchema(BrowserParams, json);
}

const Report = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('did'), what: z.string() }),
  z.strictObject({ type: z.literal('screenshot'), name: z.string(), png: z.base64() }),
  z.strictObject({ type: z.literal('end'), problem: z.string().nullable(), said: z.string() }),
]) satisfies z.ZodType<BrowserReport>;

/** One line of that program; null: no line of it. A page or a server that runs beside it may have printed it. */
export function readBrowserReport(line: string): BrowserReport | null {
  try {
    return Report.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
