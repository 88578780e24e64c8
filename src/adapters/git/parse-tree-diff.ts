import { RepositoryError } from '../../core/model/errors.ts';
import type { TreeChange } from '../../core/model/tree-change.ts';

/** One entry of a raw diff, without the size of its blob. */
export interface RawChange extends Omit<TreeChange, 'newBytes'> {
  readonly newSha: string;
}

interface Counts {
  readonly insertions: number | null;
  readonly deletions: number | null;
}

const RAW = /^:(\d{6}) (\d{6}) [0-9a-f]{40} ([0-9a-f]{40}) ([A-Z])\d*$/;
const NUMSTAT = /^(-|\d+)\t(-|\d+)\t(.*)$/s;
const KINDS: ReadonlyMap<string, TreeChange['kind']> = new Map([
  ['A', 'added'],
  ['D', 'deleted'],
  ['M', 'modified'],
  ['T', 'type_changed'],
]);

/**
 * Parses the output of `git diff-tree -r -z --raw --numstat --no-renames --no-abbrev`: first the raw entries (`:modes
 * shas status`, NUL, path, NUL), then one numstat line per path. Throws `RepositoryError` (`GIT_FAILED`) for anything
 * unknown: Ratchet cannot judge what it cannot parse.
 */
export function parseTreeDiff(text: string): readonly RawChange[] {
  const parts = text.split('\0');
  if (parts.pop() !== '') throw unreadable();
  const raws: Omit<RawChange, keyof Counts>[] = [];
  const counts = new Map<string, Counts>();
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? '';
    if (!part.startsWith(':')) {
      const [path, count] = parseCounts(part);
      counts.set(path, addCounts(counts.get(path), count));
      continue;
    }
    at += 1;
    raws.push(parseRaw(part, parts[at] ?? ''));
  }
  return raws.map((raw) => ({ ...raw, ...(counts.get(raw.path) ?? { insertions: 0, deletions: 0 }) }));
}

function parseRaw(part: string, path: string): Omit<RawChange, keyof Counts> {
  const [, oldMode = '', newMode = '', newSha = '', status = ''] = RAW.exec(part) ?? [];
  const kind = KINDS.get(status);
  if (kind === undefined || path === '') throw unreadable();
  return { kind, path, oldMode, newMode, newSha };
}

function parseCounts(part: string): readonly [string, Counts] {
  const [, insertions = '', deletions = '', path = ''] = NUMSTAT.exec(part) ?? [];
  if (path === '') throw unreadable();
  return [path, { insertions: toCount(insertions), deletions: toCount(deletions) }];
}

function toCount(text: string): number | null {
  return text === '-' ? null : Number(text);
}

/** numstat prints a type change as two lines, a deletion and an addition. */
function addCounts(before: Counts | undefined, more: Counts): Counts {
  if (before === undefined) return more;
  return {
    insertions: addNullable(before.insertions, more.insertions),
    deletions: addNullable(before.deletions, more.deletions),
  };
}

function addNullable(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : left + right;
}

function unreadable(): RepositoryError {
  return new RepositoryError('GIT_FAILED', 'the diff of the tree cannot be read', { retry: 'never' });
}
