import { describe, expect, it } from 'vitest';
import { determineFixupAction } from '../../../src/core/decide/determine-fixup-action.ts';
import { explainDecision, toGuardsText } from '../../../src/core/decide/explain-decision.ts';
import { aSnapshot } from '../../support/builders.ts';

describe('the explanation of a decision', () => {
  it('ends with the guard that decided, with its code and reason; those before did not apply', () => {
    const snapshot = aSnapshot({ ratchet: { enabled: false } });
    const results = explainDecision(snapshot);
    const { code, reason } = determineFixupAction(snapshot);

    expect(code).toBe('DISABLED');
    expect(results.at(-1)?.answer).toEqual({ code, reason });
    expect(results.slice(0, -1).map(({ answer }) => answer)).not.toContainEqual(expect.anything());
    expect(toGuardsText(results)).toMatch(/^WORKING_SESSION: no; NO_PR: no; .*; DISABLED: DISABLED$/u);
  });

  it('names every guard where none applied: all is green', () => {
    const snapshot = aSnapshot({ ci: { status: 'success' } });

    expect(determineFixupAction(snapshot).code).toBe('ALL_GREEN');
    expect(explainDecision(snapshot).every(({ answer }) => answer === null)).toBe(true);
    expect(toGuardsText(explainDecision(snapshot))).toMatch(/REVIEW_NEEDS_PERSON: no$/u);
  });
});
