import type { Protection } from '../protection.ts';
import type { WorldContext } from '../world-context.ts';
import { requireRepository } from './require.ts';

/** Requirements of a branch rule. Omitted ones are off. `as` defaults to `protection`. */
export type ProtectionOptions = Partial<Omit<Protection, 'shape' | 'pattern'>> & {
  readonly as?: Protection['shape'];
};

/** Branch rules. */
export type ProtectionControl = {
  /** Sets the rule of a pattern (e.g. `main`, `feature/*`). Replaces the rule of the same shape. */
  readonly protectBranch: (repo: string, pattern: string, options: ProtectionOptions) => void;
  /** Removes all rules of a pattern. */
  readonly unprotectBranch: (repo: string, pattern: string) => void;
};

export function createProtectionControl(world: WorldContext): ProtectionControl {
  function change(repo: string, to: (known: readonly Protection[]) => readonly Protection[]): void {
    const repository = requireRepository(world, repo);
    world.state.repositories.set(repository.id, { ...repository, protections: to(repository.protections) });
    world.changed();
  }

  return {
    protectBranch: (repo, pattern, { as: shape = 'protection', ...options }) => {
      const rule: Protection = {
        requiresSignatures: false,
        restrictsPushes: false,
        requiresUpToDate: false,
        requiredChecks: [],
        dismissStaleReviews: false,
        requiredApprovals: 0,
        commitPatterns: [],
        requiresResolvedThreads: false,
        ...options,
        shape,
        pattern,
      };
      change(repo, (known) => [...known.filter((row) => row.pattern !== pattern || row.shape !== shape), rule]);
    },
    unprotectBranch: (repo, pattern) => {
      change(repo, (known) => known.filter((row) => row.pattern !== pattern));
    },
  };
}
