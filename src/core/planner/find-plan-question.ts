import type { AgentQuestion } from '../model/session.ts';
import type { StructuredStep } from '../model/structured-plan.ts';
import { cutText } from '../text/cut-text.ts';

const MAX_LENGTH = 1999;

/**
 * The first question of a model's plan; null: it asks nothing. Nobody sits beside an agent, so a plan that asks is not carried out: its
 * question goes to the pull request, and the model plans again with the answer. The schema of plans has checked the parameters.
 */
export function findPlanQuestion(
  steps: readonly Pick<StructuredStep, 'action_type' | 'params'>[],
): Omit<AgentQuestion, 'answer'> | null {
  const asking = steps.find(({ action_type }) => action_type === 'get_user_input');
  if (asking === undefined) return null;
  const { question, choices } = asking.params;
  return {
    text: cutText(String(question), MAX_LENGTH),
    choices: Array.isArray(choices) ? choices.map(String) : [],
  };
}
