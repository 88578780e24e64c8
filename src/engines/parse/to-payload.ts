import type { Payload } from '../../core/model/engine.ts';

type Parsed = Extract<Payload, { readonly kind: 'parsed' }>;

/** A parsed payload with defaults for everything that is not given. */
export function toPayload({ findings, ...rest }: Pick<Parsed, 'findings'> & Partial<Parsed>): Payload {
  return { partial: null, toolFailure: null, tests: null, coverage: null, ...rest, kind: 'parsed', findings };
}
