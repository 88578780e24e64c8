import { isSnapshotPath, isTestPath } from '../judge/test-paths.ts';
import type { TreeChange } from '../model/tree-change.ts';

/** The parts of a change that a proof takes apart. */
export interface ProofParts {
  /** Test files and snapshots that the change touches. */
  readonly tests: readonly string[];
  /** Those of them that the old head has. */
  readonly oldTests: readonly string[];
  /** Whether it changes anything else. */
  readonly hasSource: boolean;
}

export function toProofParts(changes: readonly TreeChange[]): ProofParts {
  const tests = changes.filter(({ path }) => isTestPath(path) || isSnapshotPath(path));
  return {
    tests: tests.map(({ path }) => path),
    oldTests: tests.filter(({ kind }) => kind !== 'added').map(({ path }) => path),
    hasSource: tests.length < changes.length,
  };
}
