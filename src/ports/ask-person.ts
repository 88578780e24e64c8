/** A question of a plan to a person. Both texts may come from a stranger. */
export interface Question {
  readonly question: string;
  /** At most three; empty: any text is an answer. */
  readonly choices: readonly string[];
}

/** `refused`: nobody can be asked, or nobody wants to answer. `why` is one sentence. */
export type Answer =
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'refused'; readonly why: string };

/** Asks a person and waits. The signal ends the wait; the call then rejects or resolves at once. */
export type AskPerson = (question: Question, signal: AbortSignal) => Promise<Answer>;
