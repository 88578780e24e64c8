import type { RejectCode, SessionOutcome } from '../../core/model/session.ts';

/** A value, or the outcome that ends the session. */
export type OrEnded<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'ended'; readonly outcome: SessionOutcome };

export function ok<Value>(value: Value): OrEnded<Value> {
  return { kind: 'ok', value };
}

/** An outcome that ends the session without a push. */
export function rejected(
  code: RejectCode,
  detail: string,
  more?: Partial<Pick<SessionOutcome & { kind: 'rejected' }, 'diff' | 'validation'>>,
): { readonly kind: 'ended'; readonly outcome: SessionOutcome } {
  return { kind: 'ended', outcome: { kind: 'rejected', code, detail, diff: null, validation: [], ...more } };
}
