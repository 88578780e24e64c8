import type { ArtifactLimits } from '../model/artifact-limits.ts';
import type { EpochMs } from '../model/ids.ts';

/** The artifacts of one run. */
export interface ArtifactFolder {
  readonly name: string;
  readonly usedAt: EpochMs;
  readonly bytes: number;
  /** The pull request of the run; null: its rows are gone. */
  readonly owner: string | null;
}

/** Names of the folders to delete: the old ones, then the oldest beyond a limit. The newest of a pull request may be too big. */
export function planArtifactSweep(
  folders: readonly ArtifactFolder[],
  { before, maxBytesEach, maxBytes }: ArtifactLimits,
): readonly string[] {
  const kept = new Map<string, number>();
  const removed: string[] = [];
  let total = 0;
  for (const { name, usedAt, bytes, owner } of folders.toSorted((left, right) => right.usedAt - left.usedAt)) {
    const ofOwner = kept.get(owner ?? '');
    const fitsOwner = ofOwner === undefined || ofOwner + bytes <= maxBytesEach;
    if (usedAt < before || !fitsOwner || total + bytes > maxBytes) {
      removed.push(name);
      continue;
    }
    kept.set(owner ?? '', (ofOwner ?? 0) + bytes);
    total += bytes;
  }
  return removed;
}
