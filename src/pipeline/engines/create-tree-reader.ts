import type { Sha } from '../../core/model/ids.ts';
import type { Git, SessionRepository } from '../../ports/git.ts';

/** Text of a tracked file; null where there is none, or a longer one, or none in UTF-8. */
export type ReadTracked = (path: string, maxBytes: number) => Promise<string | null>;

type Texts = Readonly<Record<string, string>>;

interface Batch {
  readonly paths: Set<string>;
  maxBytes: number;
  readonly texts: Promise<Texts>;
}

/**
 * Reads files of one tree through git, never through a folder that something untrusted could write to. What is asked for at the
 * same time is read at once: git lists the whole tree for each call.
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
