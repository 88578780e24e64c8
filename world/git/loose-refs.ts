import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

// These files have 41 bytes. Reading one at once costs less than giving the task to a thread, and a thousandth of a git
// process.

const OBJECT_ID = /^[0-9a-f]{40}$/u;
/** Names that are valid in git for sure. */
const PLAIN_REF = /^refs(?:\/[\w-]+(?:\.[\w-]+)*)+$/u;

/** The object that the file of a full ref names; null if there is no such file, as for a packed ref. */
export function readLooseRef(dir: string, ref: string): string | null {
  try {
    const text = readFileSync(path.join(dir, path.normalize(`/${ref}`)), 'utf8').trimEnd();
    return OBJECT_ID.test(text) ? text : null;
  } catch {
    return null;
  }
}

/** Branches and tags with the objects they point to; null if the files do not say everything. */
export function listLooseRefs(dir: string): ReadonlyMap<string, string> | null {
  if (existsSync(path.join(dir, 'packed-refs'))) return null;
  try {
    const refs = ['refs/heads', 'refs/tags'].flatMap(listFiles(dir)).filter((ref) => !ref.endsWith('.lock'));
    const found = refs.toSorted().map((ref) => [ref, readLooseRef(dir, ref)] as const);
    const known = found.flatMap(([ref, sha]) => (sha === null ? [] : [[ref, sha] as const]));
    return known.length === found.length ? new Map(known) : null;
  } catch {
    // A folder was deleted during the read.
    return null;
  }
}

function listFiles(dir: string): (folder: string) => readonly string[] {
  return (folder) => {
    const entries = readdirSync(path.join(dir, folder), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)));
  };
}

/** Writes a ref as git does, under its lock. Returns false, and changes nothing, where git has to decide. */
export function writeLooseRef(dir: string, ref: string, sha: string): boolean {
  if (!PLAIN_REF.test(ref) || ref.includes('.lock') || existsSync(path.join(dir, 'packed-refs'))) return false;
  const file = path.join(dir, ref);
  const lock = `${file}.lock`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(lock, `${sha}\n`, { flag: 'wx' });
  } catch {
    return false;
  }
  try {
    renameSync(lock, file);
    return true;
  } catch {
    rmSync(lock, { force: true });
    return false;
  }
}
