import type { RejectCode, SessionOutcome, SupersededBy } from '../../core/model/session.ts';

/** A value, or the outcome that ends the session. */
export type OrEnded<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'ended'; readonly outcome: SessionOutcome };

export function ok<Value>(value: Value): OrEnded<Value> {
  return { kind: 'ok', value };
}

type Ended = OrEnded<never> & { readonly kind: 'ended' };

/** Ends the session because its ground is gone. It does not count as an attempt. */
export function superseded(why: SupersededBy, detail: string): Ended {
  return { kind: 'ended', outcome: { kind: 'superseded', why, detail } };
}

/** An outcome that ends the session without a push. */
export function rejected(
  code: RejectCode,
  detail: string,
  more?: Partial<Pick<SessionOutcome & { kind: 'rejected' }, 'diff' | 'validation' | 'question'>>,
): Ended {
  return { kind: 'ended', outcome: { kind: 'rejected', code, detail, diff: null, validation: [], ...more } };
}
