import type { Payload } from '../../core/model/engine.ts';

type Parsed = Extract<Payload, { readonly kind: 'parsed' }>;

/** What a parser read, where it has no more to say than this. */
export function toPayload({ findings, ...rest }: Pick<Parsed, 'findings'> & Partial<Parsed>): Payload {
  return { partial: null, toolFailure: null, tests: null, coverage: null, ...rest, kind: 'parsed', findings };
}

/** The payload of no text, or null where there is some. */
export function toAbsentPayload(text: string | null): Payload | null {
  if (text === null) return { kind: 'missing' };
  return /\S/u.test(text) ? null : { kind: 'empty' };
}
