/** One entry of `git diff-tree -r --raw`, with line counts. Modes are octal text. */
export interface TreeChange {
  readonly kind: 'added' | 'deleted' | 'modified' | 'type_changed';
  readonly path: string;
  /** `000000` if the entry did not exist. */
  readonly oldMode: string;
  readonly newMode: string;
  /** null for binary files. */
  readonly insertions: number | null;
  readonly deletions: number | null;
  /** Size of the new blob in bytes; 0 if deleted. */
  readonly newBytes: number;
}
