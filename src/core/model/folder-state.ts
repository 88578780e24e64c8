/**
 * One entry of a folder tree. `mode`: the permission bits, without setuid and the like. `hash`: SHA-256 of the content.
 */
export type FolderEntry =
  | { readonly kind: 'file'; readonly mode: number; readonly hash: string }
  /** `target`: the bytes of the link, one character each. */
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly mode: number };

/** Everything below a folder, by path. Paths are relative, and their bytes are one character each, for names need not be text. */
export type FolderState = ReadonlyMap<string, FolderEntry>;

/** What happened to one path; null: nothing is there. */
export interface FolderChange {
  readonly path: string;
  readonly before: FolderEntry | null;
  readonly after: FolderEntry | null;
}
