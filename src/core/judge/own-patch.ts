import type { ResolvedFile } from '../model/resolution.ts';
import type { FilePatch } from '../patch/parse-patch.ts';
import { countLines, toTextLines } from './count-lines.ts';

/**
 * What a resolution changed by itself in a file: lines of the result that nothing explains, and lines that each side with the
 * file has and the result lacks. The markers of git and the side that was not taken are no changes. A line is explained as often as a side
 * has it; in a file in conflict also as often as the merge base has it plus what each side added, in another file as often as
 * git's merge has it. Indentation is no change.
 */
export function toOwnPatch(file: ResolvedFile, isInConflict: boolean): FilePatch {
  const explained = toExplained(file, isInConflict);
  const own: OwnPatch = { path: file.path, added: [], addedAt: [], removed: [], context: [], contextAt: [] };
  const used = new Map<string, number>();
  for (const [index, line] of toTextLines(file.result).entries()) {
    const key = line.trim();
    const count = (used.get(key) ?? 0) + 1;
    used.set(key, count);
    const isOwn = count > explained(key);
    own[isOwn ? 'added' : 'context'].push(line);
    own[isOwn ? 'addedAt' : 'contextAt'].push(index + 1);
  }
  for (const [key, count] of findShared(file, isInConflict)) {
    for (let left = used.get(key) ?? 0; left < count; left += 1) own.removed.push(key);
  }
  return own;
}

/** How often a line of the result is explained. */
function toExplained(file: ResolvedFile, isInConflict: boolean): (line: string) => number {
  const [inOurs, inTheirs] = [toCounts(file.ours), toCounts(file.theirs)];
  const others = toCounts(isInConflict ? file.base : file.merged);
  return (line) => {
    const byUs = inOurs(line);
    const byThem = inTheirs(line);
    const together = isInConflict ? byUs + byThem - others(line) : others(line);
    return Math.max(byUs, byThem, together);
  };
}

/**
 * Lines that both sides have, less what each of them removed. If one side deleted a file in conflict and it stays, these are the
 * lines of the other side.
 */
function findShared(file: ResolvedFile, isInConflict: boolean): ReadonlyMap<string, number> {
  const { ours, theirs, result } = file;
  if (ours === null || theirs === null) {
    return isInConflict && result !== null ? countLines(ours ?? theirs) : new Map();
  }
  const inTheirs = toCounts(theirs);
  const others = toCounts(isInConflict ? file.base : file.merged);
  const shared = [...countLines(ours)].map(([line, byUs]) => {
    const byThem = inTheirs(line);
    const together = isInConflict ? byUs + byThem - others(line) : others(line);
    return [line, Math.min(byUs, byThem, together)] as const;
  });
  return new Map(shared);
}

function toCounts(text: string | null): (line: string) => number {
  const counts = countLines(text);
  return (line) => counts.get(line) ?? 0;
}

interface OwnPatch extends FilePatch {
  readonly added: string[];
  readonly addedAt: number[];
  readonly removed: string[];
  readonly context: string[];
  readonly contextAt: number[];
}
