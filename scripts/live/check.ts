import type { Scene } from './scene.ts';

/** What a check saw. `isExpected` is null for a measurement without a right value. */
export interface Seen {
  readonly seen: string;
  readonly isExpected: boolean | null;
}

/** One thing that the product believes of GitHub. */
export interface LiveCheck {
  readonly name: string;
  readonly expected: string;
  /** Variable that must name what the check needs; without it the check is skipped. */
  readonly needs?: string;
  readonly look: (scene: Scene, needed: string) => Promise<Seen>;
}

/** What only a person can do, and what to look at. */
export interface ByHand {
  readonly name: string;
  readonly todo: string;
  readonly expected: string;
}

export function seen(text: string, isExpected: boolean | null = null): Seen {
  return { seen: text, isExpected };
}
