import { z } from 'zod';
import type { JsonObject } from '../core/json/parse-json-object.ts';
import { STEP_CAUSES, STEP_STATES } from '../core/model/plan-run.ts';
import { MAX_SHOWN_STEPS, type ShownStep } from '../core/model/shown-step.ts';
import {
  CONDITION_STATES,
  DEFAULT_BUDGET_USD,
  DEFAULT_RETRIES,
  DEFAULT_TIMEOUT_SECONDS,
  type StructuredPlan as StructuredPlanModel,
} from '../core/model/structured-plan.ts';
import { toOneLine } from '../core/text/escape.ts';
import { InvalidInputError, parseBySchema } from './invalid-input.ts';

const MAX_STEPS = 10_000;
const MAX_ID_LENGTH = 200;
const MAX_TEXT_LENGTH = 10_000;
const MAX_NAME_LENGTH = 100;
const MAX_PATH_LENGTH = 4096;
const MAX_CONTENT_LENGTH = 4 * 1024 * 1024;
const MAX_RETRIES = 10;
const MAX_TIMEOUT_SECONDS = 24 * 3600;
const MAX_USD = 10_000;
const MAX_WORDS = 1000;
/** A check run has three buttons at most. */
const MAX_CHOICES = 3;
const MAX_CHOICE_LENGTH = 20;
const MAX_BROWSER_ACTIONS = 100;

const Id = z.union([z.int(), z.string().min(1).max(MAX_ID_LENGTH)], 'expected a whole number or a text');
const Path = z.string().min(1).max(MAX_PATH_LENGTH);
const Content = z.string().max(MAX_CONTENT_LENGTH);
const Argv = z.tuple([z.string().min(1)], z.string()).refine((argv) => argv.length <= MAX_WORDS, 'too many words');
const Text = z.string().min(1).max(MAX_TEXT_LENGTH);

/** What a choice shows is what it answers: no line of it passes for another choice, and each can be told from the others. */
const Choices = z
  .array(
    z
      .string()
      .min(1)
      .max(MAX_CHOICE_LENGTH)
      .refine((choice) => toOneLine(choice) === choice && choice !== '', 'expected one line that people can see'),
  )
  .min(1)
  .max(MAX_CHOICES)
  .refine(
    (choices) => new Set(choices.map((choice) => choice.toLowerCase())).size === choices.length,
    'expected choices that differ, not only by upper and lower case',
  );

const BrowserAction = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('open'), path: Path }),
  z.strictObject({ type: z.literal('click'), selector: Text }),
  z.strictObject({ type: z.literal('fill'), selector: Text, value: Content }),
  z.strictObject({ type: z.literal('expect'), selector: Text, text: Text }),
  z.strictObject({ type: z.literal('screenshot'), name: z.string().regex(/^[\w-]{1,60}$/u) }),
]);

/** The parameters of `browser_act`. */
export const BrowserParams = z.strictObject({
  serve: z.strictObject({ argv: Argv, url: z.url({ protocol: /^https?$/u }) }),
  actions: z.array(BrowserAction).min(1).max(MAX_BROWSER_ACTIONS),
});

/** The parameters of each action type. A type that is not listed has an adapter that checks its own. */
const PARAMS: Readonly<Record<string, z.ZodType>> = {
  create_file: z.strictObject({ path: Path, content: Content, mode: z.enum(['100644', '100755']).optional() }),
  modify_file: z.union(
    [
      z.strictObject({ path: Path, content: Content }),
      z.strictObject({ path: Path, old: z.string().min(1).max(MAX_CONTENT_LENGTH), new: Content }),
    ],
    'expected {path, content} or {path, old, new}',
  ),
  delete_file: z.strictObject({ path: Path }),
  run_command: z.strictObject({ argv: Argv, cwd: Path.optional(), undo: Argv.optional() }),
  read_file: z.strictObject({ path: Path }),
  get_user_input: z.strictObject({
    question: Text,
    choices: Choices.optional(),
  }),
  browser_act: BrowserParams,
};

const Shape = z.strictObject({
  step_id: Id,
  action_type: z.string().min(1).max(MAX_NAME_LENGTH),
  description: z.string().max(MAX_TEXT_LENGTH).default(''),
  depends_on: z.array(Id).max(MAX_STEPS).readonly().default([]),
  rollback_on_fail: z.boolean().default(false),
  max_retries: z.int().min(0).max(MAX_RETRIES).default(DEFAULT_RETRIES),
  timeout_seconds: z.number().positive().max(MAX_TIMEOUT_SECONDS).default(DEFAULT_TIMEOUT_SECONDS),
  params: z.record(z.string(), z.unknown()).default({}),
  when: z
    .strictObject({ step: Id, is: z.enum(CONDITION_STATES) })
    .nullable()
    .default(null),
  estimate_usd: z.number().min(0).max(MAX_USD).nullable().default(null),
});

const Step = Shape.superRefine(({ action_type, params }, context) => {
  const schema = Object.hasOwn(PARAMS, action_type) ? PARAMS[action_type] : undefined;
  const parsed = schema?.safeParse(params);
  for (const { path, message } of parsed?.error?.issues ?? []) {
    context.addIssue({ code: 'custom', path: ['params', ...path], message });
  }
});

const StructuredPlan = z.strictObject({
  steps: z.array(Step).max(MAX_STEPS).readonly(),
  budget_usd: z.number().min(0).max(MAX_USD).default(DEFAULT_BUDGET_USD),
}) satisfies z.ZodType<StructuredPlanModel>;

/** Parses a plan. Whether its steps fit together is another question. @throws InvalidInputError */
export function parseStructuredPlan(json: unknown): StructuredPlanModel {
  return parseBySchema(StructuredPlan, json);
}

/** The plan, or what is wrong with its values. */
export function tryParsePlan(
  json: unknown,
):
  | { readonly kind: 'plan'; readonly plan: StructuredPlanModel }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] } {
  try {
    return { kind: 'plan', plan: parseStructuredPlan(json) };
  } catch (error) {
    if (error instanceof InvalidInputError) return { kind: 'invalid', problems: error.problems };
    throw error;
  }
}

const ShownSteps = z
  .array(
    z.strictObject({
      step: Shape,
      result: z
        .strictObject({
          state: z.enum(STEP_STATES),
          cause: z
            .strictObject({ code: z.enum(STEP_CAUSES), step: Id.nullable(), message: z.string().max(MAX_TEXT_LENGTH) })
            .nullable(),
          durationMs: z.number().min(0),
          costUsd: z.number().min(0).max(MAX_USD),
        })
        .nullable(),
    }),
  )
  .max(MAX_SHOWN_STEPS) satisfies z.ZodType<readonly ShownStep[]>;

/** Steps that an agent says that it has carried out; null: they are none. */
export function tryParseShownSteps(json: unknown): readonly ShownStep[] | null {
  const parsed = ShownSteps.safeParse(json);
  return parsed.success ? parsed.data : null;
}

const PlannerTask = z.strictObject({
  prompt: z.string(),
  targetFiles: z.array(z.string()).readonly(),
  budgetUsd: z.number().min(0),
});

/** Parses what the program of a planner is told. @throws InvalidInputError */
export function parsePlannerTask(json: unknown): z.output<typeof PlannerTask> {
  return parseBySchema(PlannerTask, json);
}

/** The JSON Schema of a plan whose steps have these action types. */
export function toPlanJsonSchema(actionTypes: readonly string[]): JsonObject {
  const steps = actionTypes.map((type) =>
    Shape.extend({ action_type: z.literal(type), ...(Object.hasOwn(PARAMS, type) && { params: PARAMS[type] }) }),
  );
  return z.toJSONSchema(StructuredPlan.extend({ steps: z.array(z.union(steps)).max(MAX_STEPS) }), { io: 'input' });
}
