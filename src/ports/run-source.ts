import type { Sha } from '../core/model/ids.ts';

/** A checkout of a person, as a run reads it. */
export interface RunSource {
  /** Absolute path of its top folder. */
  readonly root: string;
  readonly headSha: Sha;
  readonly objectsDir: string;
  /** A `file:` address that offers the commits of HEAD, and nothing else, as `branch`. */
  readonly url: string;
  readonly branch: string;
  /** Paths of changes that HEAD does not have, files that git does not know included; null: they could not be listed. */
  readonly uncommitted: readonly string[] | null;
}

/** Reads checkouts of people and adds branches to them. No hook and no filter of theirs runs, and no file of theirs is changed. */
export interface RunSources {
  /** `scratch`: a folder of our own for the copy that `url` names. @throws ConfigError if there is nothing to run on. */
  readonly open: (folder: string, scratch: string, signal: AbortSignal) => Promise<RunSource>;
  /** `from`: the bare repository that has the commit. `taken`: there is another branch of that name, and nothing was changed. */
  readonly addBranch: (
    source: RunSource,
    add: { readonly commitSha: Sha; readonly name: string; readonly from: string },
    signal: AbortSignal,
  ) => Promise<'made' | 'taken'>;
}
