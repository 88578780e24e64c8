import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';
import { parseSessionId } from '../../src/core/model/ids.ts';
import type { PromptBase } from '../../src/core/prompts/compose-prompt.ts';
import { FULL_BUDGET } from '../../src/core/prompts/evidence-budget.ts';
import { aPullRequest } from './builders.ts';

export const DELIMITER = 'quote-4f9a1c7be2d84a60';

/** The common part of a prompt, for the second attempt without a word on the first. */
export function aPromptBase(change: Partial<PromptBase> = {}): PromptBase {
  return {
    sessionId: parseSessionId('session-2'),
    facts: aPullRequest(),
    changes: DEFAULT_POLICY.changes,
    validationCommands: ['npm test'],
    attempt: 2,
    previous: [],
    previousAttempt: null,
    peopleAnswered: '',
    delimiter: DELIMITER,
    inputs: '/ratchet/evidence',
    budget: FULL_BUDGET,
    ...change,
  };
}

/** A prompt in its parts. Throws if it has not exactly two lines with the delimiter. */
export function splitPrompt(prompt: string): { readonly inside: readonly string[]; readonly outside: string } {
  const { inside, outside, delimiter } = splitLines(prompt);
  if (delimiter !== DELIMITER) throw new Error(`an unknown delimiter: ${delimiter}`);
  return { inside, outside };
}

/** The same for a prompt with any delimiter, which its notice names. */
export function splitLines(prompt: string): {
  readonly inside: readonly string[];
  readonly outside: string;
  readonly delimiter: string;
} {
  const delimiter = /^The two lines "(?<delimiter>[^"]+)" enclose data/mu.exec(prompt)?.groups?.['delimiter'] ?? '';
  const lines = prompt.split('\n');
  const ends = lines.flatMap((line, index) => (line === delimiter ? [index] : []));
  const [from, to] = ends;
  if (from === undefined || to === undefined || ends.length !== 2)
    throw new Error(`${ends.length} lines of delimiters`);
  return {
    inside: lines.slice(from + 1, to),
    outside: [...lines.slice(0, from), ...lines.slice(to + 1)].join('\n'),
    delimiter,
  };
}
