import type { Payload } from '../../core/model/engine.ts';

/** A number of left out items, and why they were: in the singular and in the plural. */
export type LeftOut = readonly [count: number, one: string, many: string];

/** For example `2 results lie outside of the repository and were left out`. */
export function toNotes(all: readonly LeftOut[]): Pick<Extract<Payload, { readonly kind: 'parsed' }>, 'notes'> {
  const notes = all
    .filter(([count]) => count > 0)
    .map(([count, one, many]) =>
      count === 1 ? `1 ${one} and was left out` : `${String(count)} ${many} and were left out`,
    );
  return notes.length === 0 ? {} : { notes };
}
