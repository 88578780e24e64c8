/** One entry of a raw tree diff (`git diff-tree -r --raw` with counts): modes are git's, as octal text. */
export interface TreeChange {
  readonly kind: 'added' | 'deleted' | 'modified' | 'type_changed';
  readonly path: string;
  /** `000000` when the entry did not exist. */
  readonly oldMode: string;
  readonly newMode: string;
  /** null for binary files. */
  readonly insertions: number | null;
  readonly deletions: number | null;
  /** Size of the new blob in bytes; 0 when deleted. */
  readonly newBytes: number;
}
