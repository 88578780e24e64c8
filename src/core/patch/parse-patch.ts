import { unquotePath } from '../paths/unquote-path.ts';

/** One file of a unified diff. */
export interface FilePatch {
  /** As in the diff, for people; quoted names stay quoted. */
  readonly path: string;
  readonly added: readonly string[];
  /** Line number (1-based) in the new file of each entry of `added`. */
  readonly addedAt: readonly number[];
  readonly removed: readonly string[];
  /** Unchanged lines around the changes. */
  readonly context: readonly string[];
  /** Line number in the new file of each entry of `context`. */
  readonly contextAt: readonly number[];
}

const HUNK = /^@@ -\d+(?:,(?<old>\d+))? \+(?<at>\d+)(?:,(?<new>\d+))? @@/u;

/**
 * Splits the output of `git diff` into files and lines. The counts in the hunk headers delimit the content, so a changed line
 * that looks like a header is read as content. Accepts a cut diff; never throws.
 */
export function parsePatch(patch: string): readonly FilePatch[] {
  const files: OpenPatch[] = [];
  let left: Counts = { old: 0, new: 0, at: 0 };
  for (const line of patch.split('\n')) {
    const file = files.at(-1);
    if (file !== undefined && (left.old > 0 || left.new > 0)) {
      left = takeLine(file, line, left);
    } else if (line.startsWith('diff --git ')) {
      files.push({ path: toNewPath(line), added: [], addedAt: [], removed: [], context: [], contextAt: [] });
    } else {
      const counts = HUNK.exec(line)?.groups;
      if (file !== undefined && counts !== undefined)
        left = { old: Number(counts['old'] ?? 1), new: Number(counts['new'] ?? 1), at: Number(counts['at']) };
    }
  }
  return files;
}

/** The patch without these files. No content line can look like a file header, because it starts with a sign. */
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
  readonly contextAt: number[];
}

/** Remaining lines of the hunk on each side, and the number of the next line in the new file. */
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
      file.contextAt.push(left.at);
      return { old: left.old - 1, new: left.new - 1, at: left.at + 1 };
  }
}

/** The second half of `a/PATH b/PATH`. The halves are equal, because rename detection is off. */
function toNewPath(header: string): string {
  const paths = header.slice('diff --git '.length);
  const half = paths.slice((paths.length + 1) / 2);
  return half.replace(/^"?b\//u, '');
}
