import type { Content, TreeEntry } from './content.ts';
import type { GitRepository } from './repository.ts';

const OBJECT_ID = /^[0-9a-f]{40}$/u;

/** Reads the file or folder at `path` of a commit or tree; `''` is the root. Null if there is none. */
export async function readContent(repository: GitRepository, commit: string, path: string): Promise<Content | null> {
  const key = `${commit}:${path}`;
  const known = repository.contents.get(key);
  if (known !== undefined) return known;
  const content = await readContentFromGit(repository, commit, path);
  // Not cached: a branch name, because it moves, and a missing object of an unknown commit, because it may be pushed
  // later.
  const isImmutable = OBJECT_ID.test(commit) && (content !== null || repository.commits.has(commit));
  if (isImmutable) repository.contents.set(key, content);
  return content;
}

async function readContentFromGit(repository: GitRepository, commit: string, path: string): Promise<Content | null> {
  const object = await repository.objects.read(`${commit}:${path}`);
  if (object === null) return null;
  const { sha, kind, bytes } = object;
  if (kind === 'tree') return { kind, sha, entries: await readEntries(repository, bytes) };
  return kind === 'blob' ? { kind, sha, bytes } : null;
}

/** The text of the file at `path` of a commit, or null. */
export async function readText(repository: GitRepository, commit: string, path: string): Promise<string | null> {
  const content = await readContent(repository, commit, path);
  return content?.kind === 'blob' ? content.bytes.toString('utf8') : null;
}

async function readEntries(repository: GitRepository, tree: Buffer): Promise<readonly TreeEntry[]> {
  return await Promise.all(
    parseTree(tree).map(async (entry) => {
      const byteSize = entry.kind === 'blob' ? (await repository.objects.find(entry.sha))?.size : 0;
      return { ...entry, byteSize: byteSize ?? 0 };
    }),
  );
}

/** A tree object is a list of `<mode> <name>\0<20 bytes of the object id>`. */
function parseTree(tree: Buffer): readonly Omit<TreeEntry, 'byteSize'>[] {
  const entries: Omit<TreeEntry, 'byteSize'>[] = [];
  for (let start = 0; start < tree.length; ) {
    const space = tree.indexOf(' ', start);
    const end = tree.indexOf(0, space);
    const mode = tree.toString('latin1', start, space).padStart(6, '0');
    const sha = tree.toString('hex', end + 1, end + 21);
    entries.push({ name: tree.toString('utf8', space + 1, end), kind: toKind(mode), mode, sha });
    start = end + 21;
  }
  return entries;
}

function toKind(mode: string): TreeEntry['kind'] {
  if (mode === '040000') return 'tree';
  return mode === '160000' ? 'commit' : 'blob';
}
