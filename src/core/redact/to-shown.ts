import { removeCharacters } from './remove-characters.ts';

/**
 * What Markdown does not show: the backslash of an escape, and the word joiner that keeps GitHub from linking (`escape.ts`). The
 * first of two backslashes escapes the second, which then escapes nothing.
 */
const UNSHOWN = /\\[\\`*_[\]<>#~&$+=.)-]|\u2060/gu;

/** A text as people see it. */
export interface Shown {
  readonly shown: string;
  /** Index in the text of the character at an index of `shown`. */
  readonly toOffset: (index: number) => number;
}

/** Removes what Markdown does not show. */
export function toShown(text: string): Shown {
  const { text: shown, toOffset } = removeCharacters(text, UNSHOWN);
  return { shown, toOffset };
}
