import { toReviewEvidence } from '../../core/evidence/to-review-evidence.ts';
import { assertNever } from '../../core/model/errors.ts';
import { toReviewPrompt } from '../../core/prompts/to-review-prompt.ts';
import { judgeAnswers } from '../../core/reviews/judge-answers.ts';
import { type AgentReviewItem, toReviewItems } from '../../core/reviews/review-items.ts';
import type { AgentWork } from '../agents/run-agent.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import type { Change, FixupGoal, PreparedFixup } from './fixup-session.ts';
import { toAgentOrder, toPromptBase } from './prompt-agent.ts';
import { runFixupAgent } from './run-agent.ts';

/**
 * FIX_REVIEW: runs the agent once for all open items. Each item is one evidence file and gets one answer. If the agent changed
 * nothing and declined every item with a reason, the session ends as `declined` (trap 57).
 */
export async function addressReview(
  deps: Deps,
  prepared: PreparedFixup & { readonly goal: FixupGoal & { readonly kind: 'review' } },
  signal: AbortSignal,
): Promise<OrEnded<Change>> {
  const { session, goal } = prepared;
  const { redact } = deps;
  const items = toReviewItems(goal.review.actionable);
  const base = await toPromptBase(deps, prepared);
  const maxBytes = Math.floor(base.budget.fileBytes / Math.max(1, items.length));
  const prompt = toReviewPrompt({
    ...base,
    items: items.map((item) => ({ item, text: toReviewEvidence(item, { maxBytes, redact }) })),
  });
  const against = session.fixup.headSha;
  const order = toAgentOrder(deps, prepared, { tool: 'review', prompt, targetFiles: toFiles(items), against });
  const run = await runFixupAgent(deps, prepared, order, signal);
  return run.kind === 'ended' ? run : toChange(deps, prepared, items, run.value);
}

function toFiles(items: readonly AgentReviewItem[]): readonly string[] {
  return [...new Set(items.flatMap(({ item }) => (item.kind === 'thread' ? [item.path] : [])))];
}

/** Redacts the agent's reasons here, once, because they go to the check run, the database and GitHub. */
function toChange(
  deps: Pick<Deps, 'log' | 'redact'>,
  { session }: Pick<PreparedFixup, 'session'>,
  items: readonly AgentReviewItem[],
  { tree, summary, answers }: AgentWork,
): OrEnded<Change> {
  const redact = deps.redact;
  const verdict = judgeAnswers({
    items,
    answers: answers.map((answer) => ({ ...answer, reason: redact(answer.reason) })),
    hasChanges: tree.changes.length > 0,
  });
  deps.log.info(
    { sessionId: session.id, key: session.key, items: items.length, verdict: verdict.kind },
    'review answered',
  );
  switch (verdict.kind) {
    case 'rejected':
      return rejected(verdict.code, verdict.detail);
    case 'declined':
      return { kind: 'ended', outcome: { kind: 'declined', answers: verdict.answers, summary: redact(summary) } };
    case 'answered':
      return ok({
        tree,
        summary,
        madeBy: 'agent',
        resolved: [],
        parents: [session.fixup.headSha],
        answers: verdict.answers,
      });
    default:
      return assertNever(verdict);
  }
}
