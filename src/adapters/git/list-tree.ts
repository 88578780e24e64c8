import { RepositoryError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Mirror } from '../../ports/git.ts';
import { toCall } from './git-at.ts';
import type { GitContext } from './git-context.ts';
import { describeFailure } from './run-git.ts';

/** A file, link or submodule of a tree. */
export interface TreeEntry {
  readonly mode: string;
  readonly sha: string;
  /** 0 for a submodule. */
  readonly bytes: number;
  readonly path: string;
}

/** Maximum size of a listing, in bytes. A tree with a longer one is refused as too large. */
const MAX_LISTING_BYTES = 64 * 1024 ** 2;
/** An entry of `ls-tree --long -z`. */
const ENTRY = /^(?<mode>\d{6}) \w+ (?<sha>[0-9a-f]{40}) +(?<bytes>\d+|-)\t(?<path>.+)$/su;

/**
 * All entries of a commit or tree, below all folders. git is asked once: engines, validation and checkout want the same list. Throws
 * `RepositoryError` (`REPO_TOO_LARGE`).
 */
export async function listTree(
  context: GitContext,
  { mirror, gitDir, treeish }: { readonly mirror: Mirror; readonly gitDir: string; readonly treeish: Sha },
  signal: AbortSignal,
): Promise<readonly TreeEntry[]> {
  const key = `${mirror.gitDir}\n${treeish}`;
  const known = context.listings.get(key);
  const listing = known ?? (await readListing(context, { gitDir, treeish }, signal));
  if (known === undefined) context.listings.add(key, listing);
  return listing.split('\0').flatMap((line) => toEntry(line) ?? []);
}

export function tooLarge(): RepositoryError {
  return new RepositoryError('REPO_TOO_LARGE', 'the files of a tree are too many or too large', { retry: 'never' });
}

async function readListing(
  context: GitContext,
  { gitDir, treeish }: { readonly gitDir: string; readonly treeish: Sha },
  signal: AbortSignal,
): Promise<string> {
  const args = ['ls-tree', '-r', '-z', '--long', '--full-tree', treeish];
  const call = toCall(context, gitDir, args, { maxOutputBytes: MAX_LISTING_BYTES });
  const output = await context.runGit(call, signal);
  if (output.ended === 'overflow') throw tooLarge();
  if (output.ended !== 'exited' || output.exitCode !== 0) {
    throw new RepositoryError('GIT_FAILED', describeFailure(call, output), { retry: 'later' });
  }
  return output.stdout.toString('utf8');
}

function toEntry(line: string): TreeEntry | null {
  const { mode, sha, bytes, path } = ENTRY.exec(line)?.groups ?? {};
  if (mode === undefined || sha === undefined || path === undefined) return null;
  return { mode, sha, bytes: Number(bytes) || 0, path };
}
