import type { Policy } from './policy.ts';

/** The policy of a repository that sets nothing. */
export const DEFAULT_POLICY: Policy = {
  mode: 'push',
  maxAttempts: 3,
  maxLaunchesPerDay: 20,
  ci: {
    settleSeconds: 60,
    staleTimeoutSeconds: 300,
    timeoutSeconds: 21_600,
    required: null,
    ignore: [],
    rerunFlaky: true,
    fixRedOnBase: false,
    stopOnSameFailure: false,
  },
  merge: { resolveConflicts: true, updateBranch: true, regenerate: [] },
  reviews: { fix: true, quietSeconds: 60, allowBots: [], ignore: [], resolveThreads: true },
  drafts: 'work',
  autoMerge: 'hold',
  labels: { enable: null, hold: 'ratchet:hold' },
  comment: 'on-action',
  setup: [],
  validate: null,
  sessionTimeoutMinutes: 30,
  validateTimeoutMinutes: 10,
  changes: { allowedPaths: null, protectedPaths: [], maxFiles: 100, maxLines: 1000, maxBytes: 1_048_576 },
  engines: null,
};
