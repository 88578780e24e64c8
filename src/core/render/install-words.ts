import type { CheckStory } from './check-story.ts';

/** Says that dependencies are missing, and which command installs them. */
export function toInstallWords({ install = null }: Pick<CheckStory, 'install'>): string {
  return `dependencies are not installed${install === null ? '' : `: run ${install}`}`;
}
