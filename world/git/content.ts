/** The content of a commit, as plain data. */

export type TreeEntry = {
  readonly name: string;
  readonly kind: 'blob' | 'tree' | 'commit';
  readonly mode: string;
  readonly sha: string;
  readonly byteSize: number;
};

/** The object at a path of a commit. */
export type Content =
  | { readonly kind: 'blob'; readonly sha: string; readonly bytes: Buffer }
  | { readonly kind: 'tree'; readonly sha: string; readonly entries: readonly TreeEntry[] };
