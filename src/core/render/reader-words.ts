/** Who has to act. The author includes everyone who may push to the branch. */
export const ACTORS = ['author', 'maintainer', 'operator'] as const;

/** What has to be done, and by whom. */
export interface NextStep {
  readonly who: (typeof ACTORS)[number];
  /** Whole sentences in Markdown. */
  readonly what: string;
}

/** What people read about one code, in the check run, the comment and the reply to `status` alike. */
export interface ReaderWords {
  /** The verdict in a few words. */
  readonly title: string;
  /** The first line, a sentence in Markdown; null: the reason that was stored, which has the names and numbers. */
  readonly first: string | null;
  /** null: nobody has to act. */
  readonly next: NextStep | null;
}

/** A next step as one line. */
export function renderNextStep({ who, what }: NextStep): string {
  return `**Next step (${who}):** ${what}`;
}

export const RETRY_STEP = 'Fix it yourself, or comment `/ratchet retry` to let Ratchet try again.';

export function author(what: string): NextStep {
  return { who: 'author', what };
}

export function maintainer(what: string): NextStep {
  return { who: 'maintainer', what };
}

export function operator(what: string): NextStep {
  return { who: 'operator', what };
}
