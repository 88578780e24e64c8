import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import ts from 'typescript';

/** Files of the project by their path from its root. */
export interface Sources {
  /** What is linted. */
  readonly files: ReadonlyMap<string, string>;
  /** What every result depends on: configuration, versions of packages. */
  readonly environment: readonly string[];
  /** Text of a file that is imported and not linted; null: there is none. */
  readonly readOther: (path: string) => string | null;
}

/** Text that changes the types of files which do not import it. */
const GLOBAL = /\bdeclare (?:global|module)\b|^\/\/\/ <reference /m;

/**
 * A key for each file, which changes with all that its result depends on: the file, what it imports (over any number of files),
 * files that declare something for all others, and the environment.
 */
export function toLintKeys({ files, environment, readOther }: Sources): ReadonlyMap<string, string> {
  const hashes = new Map(Array.from(files, ([file, text]) => [file, hash(text)]));
  const toHash = (path: string): string => {
    const known = hashes.get(path) ?? hash(readOther(path) ?? '');
    hashes.set(path, known);
    return known;
  };
  const imports = new Map(Array.from(files, ([file, text]) => [file, toImports(file, text)]));
  const globals = Array.from(files).flatMap(([file, text]) =>
    file.endsWith('.d.ts') || GLOBAL.test(text) ? [text] : [],
  );
  const common = hash([...environment, ...globals].join('\0'));
  return new Map(
    Array.from(files.keys(), (file) => {
      const parts = Array.from(reach(file, imports)).toSorted();
      return [file, hash([common, file, ...parts.map((part) => `${part} ${toHash(part)}`)].join('\0'))];
    }),
  );
}

/** `file` and all that it imports, directly or not. */
function reach(file: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set([file]);
  for (const at of reached) for (const next of imports.get(at) ?? []) reached.add(next);
  return reached;
}

/** What a file imports of the project; a package stands in the lockfile. */
function toImports(file: string, text: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(text, true, true);
  const names = importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith('.'));
  return names.map((name) => posix.join(posix.dirname(file), name));
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
