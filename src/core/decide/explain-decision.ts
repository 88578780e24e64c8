import type { DecisionCode } from '../model/decision.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { GUARDS } from './determine-fixup-action.ts';

/** What a guard answered; `codes` are those that it may answer. */
export interface GuardResult {
  readonly codes: readonly DecisionCode[];
  /** null: it did not apply. */
  readonly answer: { readonly code: DecisionCode; readonly reason: string } | null;
}

/** The guards that were asked for the decision, in order: the last one decided, unless all is green. */
export function explainDecision(snapshot: Snapshot): readonly GuardResult[] {
  const results: GuardResult[] = [];
  for (const { codes, find } of GUARDS) {
    const decision = find(snapshot);
    if (decision === null) {
      results.push({ codes, answer: null });
      continue;
    }
    return [...results, { codes, answer: { code: decision.code, reason: decision.reason } }];
  }
  return results;
}

/** `CI_RUNNING/CI_TIMEOUT: no; CI_FAILED: CI_FAILED`. */
export function toGuardsText(results: readonly GuardResult[]): string {
  return results.map(({ codes, answer }) => `${codes.join('/')}: ${answer?.code ?? 'no'}`).join('; ');
}
