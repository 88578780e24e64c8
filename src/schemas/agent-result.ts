import { z } from 'zod';
import { type AgentResult as AgentResultModel, RESULT_STATUSES } from '../core/model/agent-contract.ts';
import { ANSWER_STATUSES, MAX_CHOICE_LENGTH, MAX_CHOICES } from '../core/model/session.ts';
import { toOneLine } from '../core/text/escape.ts';

const MAX_ID_LENGTH = 256;
const MAX_SUMMARY_LENGTH = 16_384;
const MAX_ANSWERS = 100;
const MAX_ITEM_ID_LENGTH = 64;
const MAX_REASON_LENGTH = 4096;
const MAX_QUESTION_LENGTH = 2000;

/** The answer to one item of a review. */
const Answer = z.object({
  id: z.string().min(1).max(MAX_ITEM_ID_LENGTH),
  status: z.enum(ANSWER_STATUSES),
  reason: z.string().max(MAX_REASON_LENGTH).default(''),
});

/** A question to people. */
const Question = z.object({
  text: z.string().min(1).max(MAX_QUESTION_LENGTH),
  // They become buttons: what people see of one is what it answers.
  choices: z
    .array(z.string().overwrite(toOneLine).min(1).max(MAX_CHOICE_LENGTH))
    .max(MAX_CHOICES)
    .readonly()
    .default([]),
});

const Texts = z.array(z.string()).readonly();

/**
 * The result of an agent (001.R37). A known field of the wrong type is an error, at any depth; an unknown one is dropped (resolution
 * S25).
 */
export const AgentResult = z.object({
  schema_version: z.literal(1),
  run_id: z.string().min(1).max(MAX_ID_LENGTH),
  task_id: z.string().min(1).max(MAX_ID_LENGTH),
  status: z.enum(RESULT_STATUSES),
  summary: z.string().max(MAX_SUMMARY_LENGTH),
  changes: z
    .object({
      files_changed: Texts.exactOptional(),
      files_created: Texts.exactOptional(),
      files_deleted: Texts.exactOptional(),
      diff_stat: z.object({ insertions: z.int().exactOptional(), deletions: z.int().exactOptional() }).exactOptional(),
    })
    .exactOptional(),
  actions: z.object({ commands_ran: Texts.exactOptional(), tests_ran: Texts.exactOptional() }).exactOptional(),
  validation: z
    .object({
      validation_exit_code: z.int().exactOptional(),
      validation_summary: z.record(z.string(), z.unknown()).exactOptional(),
    })
    .exactOptional(),
  notes: z
    .object({ systematic_issue: z.boolean().exactOptional(), suggested_followups: Texts.exactOptional() })
    .exactOptional(),
  artifacts: z
    .object({
      prompt_ref: z.string().exactOptional(),
      stdout_ref: z.string().exactOptional(),
      stderr_ref: z.string().exactOptional(),
      patch_ref: z.string().exactOptional(),
    })
    .exactOptional(),
  answers: z.array(Answer).max(MAX_ANSWERS).readonly().exactOptional(),
  question: Question.exactOptional(),
}) satisfies z.ZodType<AgentResultModel>;

/** A parsed result. */
export type AgentResult = z.infer<typeof AgentResult>;

/** The JSON Schema of a result, as docs/agent-result.schema.json holds it. */
export function toAgentResultSchemaText(): string {
  const schema = z.toJSONSchema(AgentResult, { target: 'draft-7', io: 'input' });
  return `${JSON.stringify({ title: 'AgentResult: what an agent answers', ...schema }, null, 2)}\n`;
}

/** Longest name of a dropped field that is kept, and how many. They are an agent's words. */
const MAX_KEY_LENGTH = 64;
const MAX_KEYS = 20;

/**
 * Parses a result, or says in one line what is wrong with it. Never throws and repeats no input values. `dropped`: paths of the fields
 * that are not known, for the log.
 */
export function parseAgentResult(
  value: unknown,
):
  | { readonly kind: 'ok'; readonly result: AgentResult; readonly dropped: readonly string[] }
  | { readonly kind: 'invalid'; readonly why: string } {
  const parsed = AgentResult.safeParse(value);
  if (parsed.success) {
    return { kind: 'ok', result: parsed.data, dropped: findDropped(value, parsed.data, '').slice(0, MAX_KEYS) };
  }
  const problems = parsed.error.issues.map(
    (issue) => `${issue.path.map(String).join('.') || 'result'}: ${issue.message}`,
  );
  return { kind: 'invalid', why: problems.slice(0, 5).join('; ') };
}

/** Paths of what `given` has and `kept` has not. */
function findDropped(given: unknown, kept: unknown, path: string): readonly string[] {
  // What may hold anything is kept as it is, however deep.
  if (given === kept || !isObject(given) || !isObject(kept)) return [];
  return Object.entries(given).flatMap(([key, value]) => {
    const name = `${path}${key.slice(0, MAX_KEY_LENGTH).toWellFormed()}`;
    return Object.hasOwn(kept, key) ? findDropped(value, kept[key], `${name}.`) : [name];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
