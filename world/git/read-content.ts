import { execa } from 'execa';
import type { Content, TreeEntry } from './content.ts';
import type { GitRepository } from './repository.ts';
import { git, gitEnvironment } from './run-git.ts';

const HEADER = /^(?<sha>[0-9a-f]{40}) (?<kind>\w+) (?<size>\d+)\n/u;
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
  const { stdout } = await execa('git', ['cat-file', '--batch'], {
    cwd: repository.dir,
    env: gitEnvironment(),
    extendEnv: false,
    encoding: 'buffer',
    stripFinalNewline: false,
    input: `${commit}:${path}\n`,
  });
  const bytes = Buffer.from(stdout);
  const header = HEADER.exec(bytes.subarray(0, 100).toString('latin1'));
  const { sha, kind, size } = header?.groups ?? {};
  if (header === null || sha === undefined) return null;
  if (kind === 'tree') return { kind, sha, entries: await readTree(repository, sha) };
  if (kind !== 'blob') return null;
  const start = header[0].length;
  return { kind, sha, bytes: bytes.subarray(start, start + Number(size)) };
}

/** The text of the file at `path` of a commit, or null. */
export async function readText(repository: GitRepository, commit: string, path: string): Promise<string | null> {
  const content = await readContent(repository, commit, path);
  return content?.kind === 'blob' ? content.bytes.toString('utf8') : null;
}

async function readTree(repository: GitRepository, sha: string): Promise<readonly TreeEntry[]> {
  const output = await git(repository.dir, ['ls-tree', '-z', '--long', sha]);
  return output.split('\0').flatMap((line) => {
    const [meta = '', name] = line.split('\t');
    const [mode = '', kind, entrySha = '', size = ''] = meta.split(/ +/u);
    if (name === undefined || (kind !== 'blob' && kind !== 'tree' && kind !== 'commit')) return [];
    return [{ name, kind, mode, sha: entrySha, byteSize: Number.parseInt(size, 10) || 0 }];
  });
}
