import type { Sha } from '../../core/model/ids.ts';
import { decodeText } from '../../core/text/decode-text.ts';
import type { SessionRepository } from '../../ports/git.ts';
import { type GitAt, gitAt } from './git-at.ts';
import type { GitContext } from './git-context.ts';
import { listTree } from './list-tree.ts';

const MAX_TOTAL_BYTES = 64 * 1024 ** 2;
const GITLINK = '160000';
const REGULAR_FILE = '100';

/** See `Git.listFiles`. */
export async function listFiles(
  context: GitContext,
  repository: SessionRepository,
  treeish: Sha,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return (await list(context, repository, treeish, signal)).map(({ path }) => path);
}

/** See `Git.listSubmodules`. */
export async function listSubmodules(
  context: GitContext,
  repository: SessionRepository,
  treeish: Sha,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const entries = await list(context, repository, treeish, signal);
  return entries.flatMap(({ mode, path }) => (mode === GITLINK ? [path] : [])).toSorted();
}

function list(
  context: GitContext,
  { mirror, controlDir: gitDir }: SessionRepository,
  treeish: Sha,
  signal: AbortSignal,
): ReturnType<typeof listTree> {
  return listTree(context, { mirror, gitDir, treeish }, signal);
}

/** See `Git.readFiles`. Omits links and files that are missing, larger than `maxBytes`, or not UTF-8. */
export async function readFiles(
  context: GitContext,
  repository: SessionRepository,
  want: { readonly treeish: Sha; readonly paths: readonly string[]; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  if (want.paths.length === 0) return {};
  const wanted = new Set(want.paths);
  const git = gitAt(context, repository.controlDir, signal);
  const blobs = (await list(context, repository, want.treeish, signal)).filter(
    ({ mode, bytes, path }) => mode.startsWith(REGULAR_FILE) && bytes <= want.maxBytes && wanted.has(path),
  );
  const texts = await readTexts(git, new Set(blobs.map(({ sha }) => sha)));
  return Object.fromEntries(blobs.flatMap(({ path, sha }) => toPair(path, texts.get(sha))));
}

/** See `Git.readBlobs`. */
export async function readBlobs(
  context: GitContext,
  repository: SessionRepository,
  want: { readonly blobs: readonly Sha[]; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<ReadonlyMap<Sha, string>> {
  if (want.blobs.length === 0) return new Map();
  const git = gitAt(context, repository.controlDir, signal);
  const stdin = `${want.blobs.join('\n')}\n`;
  const lines = (await git.text(['cat-file', '--batch-check=%(objecttype) %(objectsize)'], { stdin })).split('\n');
  const fitting = want.blobs.filter((_, index) => {
    const [type, size] = (lines[index] ?? '').split(' ');
    return type === 'blob' && Number(size) <= want.maxBytes;
  });
  const texts = await readTexts(git, new Set(fitting));
  return new Map(fitting.flatMap((sha) => toPair(sha, texts.get(sha))));
}

function toPair<Name>(name: Name, text: string | null | undefined): readonly (readonly [Name, string])[] {
  return text === null || text === undefined ? [] : [[name, text]];
}

/** Texts by object name; null for a blob that is not UTF-8. */
async function readTexts(git: GitAt, shas: ReadonlySet<string>): Promise<ReadonlyMap<string, string | null>> {
  if (shas.size === 0) return new Map();
  const stdin = `${[...shas].join('\n')}\n`;
  const output = await git.bytes(['cat-file', '--batch'], { stdin, maxOutputBytes: MAX_TOTAL_BYTES });
  const texts = new Map<string, string | null>();
  let at = 0;
  while (at < output.length) {
    const headEnd = output.indexOf(0x0a, at);
    const [sha = '', , size = ''] = output.toString('latin1', at, headEnd).split(' ');
    const end = headEnd + 1 + Number(size);
    texts.set(sha, decodeText(output.subarray(headEnd + 1, end)));
    at = end + 1;
  }
  return texts;
}
