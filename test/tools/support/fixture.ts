import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const HEADER = /^-- (\S+) --$/;

/**
 * The files of one small project by path. A fixture (`<tool>/<name>`) is one text, `fixtures/<tool>/<name>.txtar`, in Go's txtar format: a line
 * `-- path --` before each file. So projects that are broken on purpose are no files of this repository, and no tool that looks
 * at it stumbles over them. Lines before the first header are a comment.
 */
export async function readFixture(fixture: string): Promise<Readonly<Record<string, string>>> {
  return parseFixture(await readFile(join(FIXTURES, `${fixture}.txtar`), 'utf8'));
}

function parseFixture(text: string): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  let path: string | null = null;
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const header = HEADER.exec(line)?.[1];
    if (header !== undefined) {
      path = header;
      files[path] = '';
    } else if (path !== null) {
      files[path] = `${files[path] ?? ''}${line}\n`;
    }
  }
  return files;
}
