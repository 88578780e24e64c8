import type { EnginesReport } from '../model/engine-report.ts';
import { toNamesText } from '../text/words.ts';

/** One sentence if there are submodules whose content is not here. */
export function toEmptySubmoduleWords({ submodules }: Pick<EnginesReport, 'submodules'>): readonly string[] {
  const paths = submodules.filter(({ isHere }) => !isHere).map(({ path }) => path);
  if (paths.length === 0) return [];
  return [`nothing in submodules that are not checked out was looked at: ${toNamesText(paths)}`];
}

export function toMovedSubmoduleWords(path: string): string {
  return `the change moves the submodule ${toNamesText([path])}, which is not checked out: no engine looked at what that brings`;
}
