import { z } from 'zod';
import { type AgentResult as AgentResultModel, RESULT_STATUSES } from '../core/model/agent-contract.ts';
import { ANSWER_STATUSES, MAX_CHOICE_LENGTH, MAX_CHOICES } from '../core/model/session.ts';

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
  choices: z.array(z.string().trim().min(1).max(MAX_CHOICE_LENGTH)).max(MAX_CHOICES).readonly().default([]),
});

/** The fields that Ratchet reads from an agent's result (001.R37). Other fields are dropped. */
export const AgentResult = z.object({
  schema_version: z.literal(1),
  run_id: z.string().min(1).max(MAX_ID_LENGTH),
  task_id: z.string().min(1).max(MAX_ID_LENGTH),
  status: z.enum(RESULT_STATUSES),
  summary: z.string().max(MAX_SUMMARY_LENGTH),
  answers: z.array(Answer).max(MAX_ANSWERS).readonly().exactOptional(),
  question: Question.exactOptional(),
}) satisfies z.ZodType<AgentResultModel>;

/** A parsed result. */
export type AgentResult = z.infer<typeof AgentResult>;

/** Parses a result, or says in one line what is wrong with it. Never throws and repeats no input values. */
export function parseAgentResult(
  value: unknown,
): { readonly kind: 'ok'; readonly result: AgentResult } | { readonly kind: 'invalid'; readonly why: string } {
  const parsed = AgentResult.safeParse(value);
  if (parsed.success) return { kind: 'ok', result: parsed.data };
  const problems = parsed.error.issues.map(
    (issue) => `${issue.path.map(String).join('.') || 'result'}: ${issue.message}`,
  );
  return { kind: 'invalid', why: problems.slice(0, 5).join('; ') };
}
