import { describeStanding } from '../decide/agent-hold.ts';
import type { AgentStanding } from '../model/agent-standing.ts';
import type { Decision } from '../model/decision.ts';
import { toPlainText } from '../text/escape.ts';
import { MAX_REASON_LENGTH } from './limits.ts';

/** Why no agent may be launched, if the decision is another. */
export function toAgentLines(agent: AgentStanding | null, { reason }: Pick<Decision, 'reason'>): readonly string[] {
  const why = agent === null ? null : describeStanding(agent);
  // A decision that waits for the agent has said so.
  const isSaid = why === null || reason.includes(why.slice(1));
  return isSaid ? [] : [`- No agent starts: ${toPlainText(why, MAX_REASON_LENGTH)}`];
}
