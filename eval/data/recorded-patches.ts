import { z } from 'zod';
import type { TreeChange } from '../../src/core/model/tree-change.ts';
import { parsePatch } from '../../src/core/patch/parse-patch.ts';
import type { FileTexts } from '../../src/ports/test-judge.ts';
import { compareNames } from './compare-names.ts';
import type { Repository } from './open-repository.ts';

const PATCHES = 'results/generated_patches.json';
const RESULTS = 'results/jobs_results_diff.jsonl';

/** A patch that another agent made for a red head, and how CI ended with it. */
export interface RecordedPatch {
  readonly sha: string;
  readonly diff: string;
  readonly isGreen: boolean;
}

/** What a patch shows of the files that it changes: its hunks, and what is around them. */
export interface PatchSides {
  readonly changes: readonly TreeChange[];
  readonly before: FileTexts;
  readonly after: FileTexts;
  readonly unreadHunks: number;
}

const patchesSchema = z.array(z.object({ sha_fail: z.string(), diff: z.string() }));
const resultSchema = z.object({ sha_original: z.string(), conclusion: z.string() });

/** All patches of which CI's end is recorded, by the name of their head. */
export async function listRecordedPatches(repository: Repository): Promise<readonly RecordedPatch[]> {
  const entries = await repository.list('results');
  const readText = async (path: string): Promise<string> => {
    const entry = entries.find((one) => one.path === path);
    return (entry === undefined ? null : await repository.read(entry))?.toString('utf8') ?? '';
  };
  const lines = (await readText(RESULTS)).split('\n').filter((line) => line.trim() !== '');
  const ends = new Map(
    lines.map((line) => {
      const { sha_original: sha, conclusion } = resultSchema.parse(JSON.parse(line));
      return [sha, conclusion];
    }),
  );
  const text = await readText(PATCHES);
  return patchesSchema
    .parse(JSON.parse(text === '' ? '[]' : text))
    .flatMap(({ sha_fail: sha, diff }) => {
      const end = ends.get(sha);
      return end === 'success' || end === 'failure' ? [{ sha, diff, isGreen: end === 'success' }] : [];
    })
    .toSorted((left, right) => compareNames(left.sha, right.sha));
}

/** The sides of each file, of those hunks that `isReadable` takes: others begin or end within an expression or a text. */
export function toPatchSides(diff: string, isReadable: (before: FileTexts, after: FileTexts) => boolean): PatchSides {
  const sections = diff.split(/(?<=\n)(?=diff --git )/u);
  const before: Record<string, string> = {};
  const after: Record<string, string> = {};
  const changes: TreeChange[] = [];
  let left = 0;
  for (const section of sections) {
    const path = toPath(section);
    if (path === null) continue;
    const change = toChange(path, section);
    changes.push(change);
    const [, ...hunks] = section.split(/^@@ .*$/mu).map((hunk) => hunk.split('\n').slice(1));
    const sides = hunks.map((lines) => ({ old: withBlocks(lines, '-'), now: withBlocks(lines, '+') }));
    const kept = sides.filter(({ old, now }) => isReadable({ [path]: old }, { [path]: now }));
    left += sides.length - kept.length;
    if (change.kind !== 'added') before[path] = kept.map(({ old }) => old).join('\n');
    if (change.kind !== 'deleted') after[path] = kept.map(({ now }) => now).join('\n');
  }
  return { changes, before, after, unreadHunks: left };
}

function toPath(section: string): string | null {
  const path = /^\+\+\+ b\/(?<path>.+)$/mu.exec(section) ?? /^--- a\/(?<path>.+)$/mu.exec(section);
  return path?.groups?.['path']?.trim() ?? null;
}

function toKind(isAdded: boolean, isDeleted: boolean): 'added' | 'deleted' | 'modified' {
  if (isAdded) return 'added';
  return isDeleted ? 'deleted' : 'modified';
}

function toChange(path: string, section: string): TreeChange {
  const [file] = parsePatch(section);
  const isAdded = /^--- \/dev\/null$/mu.test(section);
  const isDeleted = /^\+\+\+ \/dev\/null$/mu.test(section);
  return {
    kind: toKind(isAdded, isDeleted),
    ...{ path, oldMode: isAdded ? '000000' : '100644', newMode: isDeleted ? '000000' : '100644' },
    ...{ insertions: file?.added.length ?? 0, deletions: file?.removed.length ?? 0, newBytes: 0 },
  };
}

/** A hunk may begin within blocks that it leaves again: they are opened before it, the same for both sides. */
function withBlocks(lines: readonly string[], sign: '+' | '-'): string {
  const code = lines.filter((line) => /^[ +-]/u.test(line) && line.slice(1).trim() !== '');
  const indents = code.map((line) => /^ */u.exec(line.slice(1))?.[0].length ?? 0);
  const [first = 0] = indents;
  const blocks = [...new Set(indents.filter((indent) => indent < first))].sort((left, right) => left - right);
  const kept = lines.filter((line) => line.startsWith(' ') || line.startsWith(sign)).map((line) => line.slice(1));
  return [...blocks.map((indent) => `${' '.repeat(indent)}if hunk:`), ...kept].join('\n');
}
