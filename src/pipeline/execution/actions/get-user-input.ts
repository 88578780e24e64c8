import type { AskPerson, Question } from '../../../ports/ask-person.ts';
import type { ActionAdapter } from '../../../ports/execution.ts';

/**
 * `get_user_input`: asks a person for a text or a choice (004.R36). The answer is the output of the step. Where nobody can be asked it
 * fails at once, and not for a transient cause.
 */
export function createGetUserInput<Place>(ask: AskPerson): ActionAdapter<Place> {
  return {
    actionType: 'get_user_input',
    toolName: 'ask a person',
    estimateUsd: 0,
    prepareUndo: async () => null,
    act: async ({ params }, _input, signal) => {
      const answer = await ask(toQuestion(params), signal);
      if (answer.kind === 'answered') return { kind: 'completed', output: answer.text, costUsd: null };
      return { kind: 'failed', isTransient: false, message: answer.why, output: '', costUsd: null };
    },
    // A question changes nothing, so no compensation was stored.
    undo: async () => ({ note: null }),
  };
}

/** The schema of the plan has checked both. */
function toQuestion({ question, choices }: Readonly<Record<string, unknown>>): Question {
  return { question: String(question), choices: Array.isArray(choices) ? choices.map(String) : [] };
}
