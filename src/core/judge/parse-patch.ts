import { unquotePath } from '../paths/unquote-path.ts';

/** One file of a unified diff. */
export interface FilePatch {
  /** As the diff names it, for people; quoted names stay quoted. */
  readonly path: string;
  readonly added: readonly string[];
  /** Line of the new file (1-based) of each of `added`. */
  readonly addedAt: readonly number[];
  readonly removed: readonly string[];
  /** Unchanged lines around the changes. */
  readonly context: readonly string[];
}

const HUNK = /^@@ -\d+(?:,(?<old>\d+))? \+(?<at>\d+)(?:,(?<new>\d+))? @@/u;

/**
 * Splits the output of `git diff` into files and lines. The hunk headers' counts decide what is a line of the file, so a
 * changed line that looks like a header is not taken for one. Tolerates a diff that was cut; never throws.
 */
export function parsePatch(patch: string): readonly FilePatch[] {
  const files: OpenPatch[] = [];
  let left: Counts = { old: 0, new: 0, at: 0 };
  for (const line of patch.split('\n')) {
    const file = files.at(-1);
    if (file !== undefined && (left.old > 0 || left.new > 0)) {
      left = takeLine(file, line, left);
    } else if (line.startsWith('diff --git ')) {
      files.push({ path: toNewPath(line), added: [], addedAt: [], removed: [], context: [] });
    } else {
      const counts = HUNK.exec(line)?.groups;
      if (file !== undefined && counts !== undefined)
        left = { old: Number(counts['old'] ?? 1), new: Number(counts['new'] ?? 1), at: Number(counts['at']) };
    }
  }
  return files;
}

/** The patch without the sections of these files. A line of a file cannot look like a header, because a sign precedes it. */
export function withoutFiles(patch: string, paths: ReadonlySet<string>): string {
  const sections = patch.split(/(?<=\n)(?=diff --git )/u);
  return sections.filter((section) => !paths.has(toPlainPath(section))).join('');
}

function toPlainPath(section: string): string {
  return unquotePath(toNewPath(section.replace(/\n.*$/su, '')));
}

interface OpenPatch {
  readonly path: string;
  readonly added: string[];
  readonly addedAt: number[];
  readonly removed: string[];
  readonly context: string[];
}

/** Lines that a hunk still has, and the line of the new file that comes next. */
interface Counts {
  readonly old: number;
  readonly new: number;
  readonly at: number;
}

function takeLine(file: OpenPatch, line: string, left: Counts): Counts {
  const text = line.slice(1).replace(/\r$/u, '');
  switch (line[0]) {
    case '+':
      file.added.push(text);
      file.addedAt.push(left.at);
      return { ...left, new: left.new - 1, at: left.at + 1 };
    case '-':
      file.removed.push(text);
      return { ...left, old: left.old - 1 };
    case '\\':
      return left;
    default:
      file.context.push(text);
      return { old: left.old - 1, new: left.new - 1, at: left.at + 1 };
  }
}

/** The second half of `a/PATH b/PATH`; the halves are equal, since renames are told as deleted and added. */
function toNewPath(header: string): string {
  const paths = header.slice('diff --git '.length);
  const half = paths.slice((paths.length + 1) / 2);
  return half.replace(/^"?b\//u, '');
}
