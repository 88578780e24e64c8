/** One file of a unified diff. */
export interface FilePatch {
  /** As the diff names it, for people; quoted names stay quoted. */
  readonly path: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Unchanged lines around the changes. */
  readonly context: readonly string[];
}

const HUNK = /^@@ -\d+(?:,(?<old>\d+))? \+\d+(?:,(?<new>\d+))? @@/u;

/**
 * Splits the output of `git diff` into files and lines. The hunk headers' counts decide what is a line of the file, so a
 * changed line that looks like a header is not taken for one. Tolerates a diff that was cut; never throws.
 */
export function parsePatch(patch: string): readonly FilePatch[] {
  const files: { path: string; added: string[]; removed: string[]; context: string[] }[] = [];
  let left = { old: 0, new: 0 };
  for (const line of patch.split('\n')) {
    const file = files.at(-1);
    if (file !== undefined && (left.old > 0 || left.new > 0)) {
      left = takeLine(file, line, left);
    } else if (line.startsWith('diff --git ')) {
      files.push({ path: toNewPath(line), added: [], removed: [], context: [] });
    } else {
      const counts = HUNK.exec(line)?.groups;
      if (file !== undefined && counts !== undefined)
        left = { old: Number(counts['old'] ?? 1), new: Number(counts['new'] ?? 1) };
    }
  }
  return files;
}

interface Counts {
  readonly old: number;
  readonly new: number;
}

function takeLine(file: { added: string[]; removed: string[]; context: string[] }, line: string, left: Counts): Counts {
  const text = line.slice(1).replace(/\r$/u, '');
  switch (line[0]) {
    case '+':
      file.added.push(text);
      return { ...left, new: left.new - 1 };
    case '-':
      file.removed.push(text);
      return { ...left, old: left.old - 1 };
    case '\\':
      return left;
    default:
      file.context.push(text);
      return { old: left.old - 1, new: left.new - 1 };
  }
}

/** The second half of `a/PATH b/PATH`; the halves are equal, since renames are told as deleted and added. */
function toNewPath(header: string): string {
  const paths = header.slice('diff --git '.length);
  const half = paths.slice((paths.length + 1) / 2);
  return half.replace(/^"?b\//u, '');
}
