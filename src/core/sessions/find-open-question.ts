import type { SessionId } from '../model/ids.ts';
import type { AgentQuestion, Session } from '../model/session.ts';
import type { Stop } from '../model/workspace.ts';

/** A question that waits for an answer. */
export interface OpenQuestion {
  readonly id: SessionId;
  readonly question: AgentQuestion;
}

/** The question that led to the stop. `sessions`: newest first. null: none waits for an answer. */
export function findOpenQuestion(
  stop: Stop | null,
  sessions: readonly Pick<Session, 'id' | 'fixup' | 'outcome'>[],
): OpenQuestion | null {
  if (stop?.code !== 'QUESTION') return null;
  for (const { id, fixup, outcome } of sessions) {
    if (fixup?.causeKey !== stop.causeKey || outcome?.kind !== 'rejected') continue;
    const { question } = outcome;
    if (question !== undefined) return question.answer === null ? { id, question } : null;
  }
  return null;
}
