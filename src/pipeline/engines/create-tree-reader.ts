import type { Sha } from '../../core/model/ids.ts';
import type { Git, SessionRepository } from '../../ports/git.ts';

/** Reads a tracked file. null: no such file, longer than `maxBytes`, or not UTF-8. */
export type ReadTracked = (path: string, maxBytes: number) => Promise<string | null>;

type Texts = Readonly<Record<string, string>>;

interface Batch {
  readonly paths: Set<string>;
  maxBytes: number;
  readonly texts: Promise<Texts>;
}

/**
 * Reads files of one tree through git, never through a folder that untrusted code could write to. Simultaneous reads share one
 * call, because git lists the whole tree for each.
 */
export function createTreeReader(
  git: Pick<Git, 'readFiles'>,
  { repository, treeSha }: { readonly repository: SessionRepository; readonly treeSha: Sha },
  signal: AbortSignal,
): ReadTracked {
  let open: Batch | null = null;
  const openBatch = (): Batch => {
    const paths = new Set<string>();
    const texts = Promise.resolve().then(() => {
      const maxBytes = batch.maxBytes;
      open = null;
      return git.readFiles(repository, { treeish: treeSha, paths: [...paths], maxBytes }, signal);
    });
    const batch: Batch = { paths, maxBytes: 0, texts };
    return batch;
  };
  return async (path, maxBytes) => {
    open ??= openBatch();
    open.paths.add(path);
    open.maxBytes = Math.max(open.maxBytes, maxBytes);
    const text = (await open.texts)[path];
    if (text === undefined || new TextEncoder().encode(text).length > maxBytes) return null;
    return text.replace(/^\uFEFF/u, '');
  };
}
