import type { RejectCode } from '../model/session.ts';

/** What a rejected attempt leads to. */
export interface RejectEffect {
  /** Whether it counts as an attempt of the budget. */
  readonly counts: boolean;
  /**
   * `person`: nothing is launched again for its cause. `hold`: a hold of the decision keeps the next launch waiting. `once_more`:
   * it is launched again, with less evidence, and a second time leads to a person.
   */
  readonly then: 'person' | 'hold' | 'once_more';
}

const TO_PERSON: RejectEffect = { counts: false, then: 'person' };

/** Effects of the codes about models. What only costs time counts as no attempt. */
const EFFECTS: Readonly<Partial<Record<RejectCode, RejectEffect>>> = {
  BUDGET_EXHAUSTED: { counts: true, then: 'person' },
  BUDGET_PERIOD_EXHAUSTED: { counts: true, then: 'hold' },
  AGENT_HELD: { counts: false, then: 'hold' },
  AGENTS_SWITCHED_OFF: { counts: false, then: 'hold' },
  MODEL_AUTH: { counts: false, then: 'hold' },
  MODEL_NO_CREDIT: { counts: false, then: 'hold' },
  MODEL_RATE_LIMITED: { counts: false, then: 'hold' },
  MODEL_UNAVAILABLE: { counts: false, then: 'hold' },
  CONTEXT_TOO_LONG: { counts: true, then: 'once_more' },
  MODEL_REFUSED: { counts: true, then: 'person' },
};

/** The effect of a reject code. Most lead to a person and count as no attempt, because nothing was pushed (002.R5). */
export function toRejectEffect(code: RejectCode): RejectEffect {
  return EFFECTS[code] ?? TO_PERSON;
}
