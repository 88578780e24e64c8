import type { AgentQuestion } from '../model/session.ts';
import { toByteLength } from '../text/cut-bytes.ts';

const MAX_SUMMARY_CHARS = 4000;
/** A site keeps the last 64 KiB of what an agent prints. */
const MAX_ANSWERS_BYTES = 32 * 1024;

/** The agent's result as JSON text, without what Ratchet fills in itself. Answers that do not fit are left out. */
export function toPlannerResult({
  status,
  summary,
  answers,
  question,
}: {
  readonly status: string;
  readonly summary: string;
  readonly answers: readonly unknown[];
  readonly question?: Omit<AgentQuestion, 'answer'>;
}): string {
  let left = MAX_ANSWERS_BYTES;
  const fitting = answers.filter((answer) => {
    left -= toByteLength(JSON.stringify(answer));
    return left >= 0;
  });
  const said = summary.slice(0, MAX_SUMMARY_CHARS).toWellFormed();
  return JSON.stringify({
    status,
    summary: said,
    ...(fitting.length > 0 && { answers: fitting }),
    ...(question !== undefined && { question }),
  });
}
