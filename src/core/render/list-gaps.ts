import type { CheckStory } from './check-story.ts';
import { toInstallWords } from './install-words.ts';

/** Something that `ratchet check` did not look at, or not wholly. */
export interface Gap {
  /** null: it concerns the check as a whole. */
  readonly engine: string | null;
  readonly why: string;
}

/** All of them, in the order: settings, failures, missing dependencies, incomplete runs, the change itself. */
export function listGaps(story: CheckStory): readonly Gap[] {
  const { report, comparison } = story;
  const hasFailed = ({ engine, mode }: { readonly engine: string; readonly mode: string }): boolean =>
    report.engineErrors.some((error) => error.engine === engine && error.mode === mode);
  const unread = { engine: null, why: 'the change since the base was not read whole' };
  return [
    ...report.configErrors.map(({ engine, code, message }) => ({ engine, why: `${code}: ${message}` })),
    ...report.engineErrors.map(({ engine, mode, kind, message }) => ({ engine, why: `${kind} (${mode}): ${message}` })),
    ...report.skipped
      .filter(({ why }) => why === 'dependencies_missing')
      .map(({ engine }) => ({ engine, why: `it could not run, as ${toInstallWords(story)}` })),
    ...report.runs
      .filter((run) => !run.complete && !hasFailed(run))
      .map(({ engine, incompleteWhy }) => ({ engine, why: `incomplete: ${incompleteWhy ?? 'it failed'}` })),
    ...(comparison?.isPatchWhole === false ? [unread] : []),
  ];
}
