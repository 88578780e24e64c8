import type { EpochMs } from './ids.ts';

/** How far the list of deliveries has been read. */
export interface ListProgress {
  /** Everything that was sent before this has been read. */
  readonly readUntil: EpochMs;
  /** A pass that ran out of pages: where it goes on, and what it will have read until then. null: none is open. */
  readonly open: { readonly cursor: string; readonly readsUntil: EpochMs } | null;
}
