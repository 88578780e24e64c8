import type { Sha } from '../../core/model/ids.ts';
import { decodeText } from '../../core/text/decode-text.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { GitContext } from './git-context.ts';
import { runGitOk } from './run-git.ts';

const MAX_TOTAL_BYTES = 64 * 1024 ** 2;
/** `mode type sha size<TAB>path`, as `ls-tree --long -z` prints it. */
const LS_TREE_ENTRY = /^(\d{6}) (\w+) ([0-9a-f]{40}) +(-|\d+)\t(.*)$/s;

/** See `Git.listFiles`. */
export async function listFiles(
  context: GitContext,
  repository: SessionRepository,
  treeish: Sha,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', treeish];
  const output = await runGitOk(context.runGit, inControl(context, repository, args), signal);
  return splitZero(output.toString('utf8'));
}

/**
 * See `Git.readFiles`. Only regular files count (a link's target is never followed); a file of more than `maxBytes`, or with
 * bytes that are no UTF-8, is left out like a missing one.
 */
export async function readFiles(
  context: GitContext,
  repository: SessionRepository,
  want: { readonly treeish: Sha; readonly paths: readonly string[]; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  if (want.paths.length === 0) return {};
  const wanted = new Set(want.paths);
  const listed = await runGitOk(
    context.runGit,
    inControl(context, repository, ['ls-tree', '-r', '-z', '--long', '--full-tree', want.treeish]),
    signal,
  );
  const blobs = splitZero(listed.toString('utf8'))
    .map((line) => LS_TREE_ENTRY.exec(line))
    .flatMap((match) => (match === null ? [] : [toBlob(match)]))
    .filter((blob) => blob.mode.startsWith('100') && wanted.has(blob.path) && blob.bytes <= want.maxBytes);
  const texts = await readTexts(
    context,
    repository,
    blobs.map((blob) => blob.sha),
    signal,
  );
  return Object.fromEntries(
    blobs.flatMap((blob) => {
      const text = texts.get(blob.sha);
      return text === undefined || text === null ? [] : [[blob.path, text] as const];
    }),
  );
}

/** See `Git.readBlobs`. */
export async function readBlobs(
  context: GitContext,
  repository: SessionRepository,
  want: { readonly blobs: readonly Sha[]; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<ReadonlyMap<Sha, string>> {
  if (want.blobs.length === 0) return new Map();
  const args = ['cat-file', '--batch-check=%(objecttype) %(objectsize)'];
  const sized = { ...inControl(context, repository, args), stdin: `${want.blobs.join('\n')}\n` };
  const lines = (await runGitOk(context.runGit, sized, signal)).toString('latin1').split('\n');
  const fitting = want.blobs.filter((_, index) => {
    const [type, size] = (lines[index] ?? '').split(' ');
    return type === 'blob' && Number(size) <= want.maxBytes;
  });
  const texts = await readTexts(context, repository, [...new Set(fitting)], signal);
  return new Map(fitting.flatMap((sha) => toPair(sha, texts.get(sha))));
}

function toPair(sha: Sha, text: string | null | undefined): readonly (readonly [Sha, string])[] {
  return text === null || text === undefined ? [] : [[sha, text]];
}

interface Blob {
  readonly mode: string;
  readonly sha: string;
  readonly bytes: number;
  readonly path: string;
}

function toBlob(match: RegExpExecArray): Blob {
  const [, mode = '', , sha = '', size = '-', path = ''] = match;
  return { mode, sha, bytes: size === '-' ? Number.POSITIVE_INFINITY : Number(size), path };
}

/** Texts by object name; null for a blob that is no UTF-8. */
async function readTexts(
  context: GitContext,
  repository: SessionRepository,
  shas: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string | null>> {
  if (shas.length === 0) return new Map();
  const call = { ...inControl(context, repository, ['cat-file', '--batch']), stdin: `${shas.join('\n')}\n` };
  const output = await runGitOk(context.runGit, { ...call, maxOutputBytes: MAX_TOTAL_BYTES }, signal);
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

function inControl(
  context: GitContext,
  repository: SessionRepository,
  args: readonly string[],
): { readonly args: readonly string[]; readonly gitDir: string; readonly cwd: string; readonly timeoutMs: number } {
  const { controlDir } = repository;
  return { args, gitDir: controlDir, cwd: controlDir, timeoutMs: context.limits.commandTimeoutMs };
}

function splitZero(text: string): readonly string[] {
  return text.split('\0').filter((part) => part !== '');
}
