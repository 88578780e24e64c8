import type { Mode } from '../model/policy.ts';
import type { PolicyLayer } from './policy-layer.ts';

/**
 * The most that any repository of this server can be given. Only settings of which "more" means more money, more change or
 * more power have one. A switch has one ceiling, which is off; a key that is left out sets no ceiling.
 */
export interface Ceilings {
  readonly mode?: Mode;
  readonly maxAttempts?: number;
  readonly maxLaunchesPerDay?: number;
  readonly sessionTimeoutMinutes?: number;
  readonly validateTimeoutMinutes?: number;
  readonly changes?: { readonly maxFiles?: number; readonly maxLines?: number; readonly maxBytes?: number };
  readonly ci?: { readonly rerunFlaky?: false; readonly fixRedOnBase?: false };
  readonly merge?: { readonly resolveConflicts?: false; readonly updateBranch?: false };
  readonly reviews?: { readonly fix?: false; readonly resolveThreads?: false };
  /** `timeoutSeconds`: of each run of an engine, whoever asks for more; `totalMinutes`: of all of them, with fetch and setup. */
  readonly engines?: { readonly timeoutSeconds?: number; readonly totalMinutes?: number };
  readonly autoMerge?: 'hold';
  /** `null`: no label may enable Ratchet. */
  readonly labels?: { readonly enable?: null };
}

/** What the operator of the server sets: defaults below every repository's own settings, and ceilings above them. */
export interface OperatorPolicy {
  readonly defaults: PolicyLayer;
  readonly ceilings: Ceilings;
}

/** Of an operator who sets nothing. */
export const NO_OPERATOR_POLICY: OperatorPolicy = { defaults: {}, ceilings: {} };
