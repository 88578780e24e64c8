import type { EngineSpec } from '../../core/model/engine.ts';

/** What most engines have in common. */
export const ENGINE_DEFAULTS = {
  output: { from: 'stdout', emptyMeansClean: false },
  exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [] } }],
  env: {},
  timeoutMs: 600_000,
  isFix: false,
  ignoreExit: [],
  dependencyRules: [],
  isCacheable: true,
} satisfies Partial<EngineSpec>;

/** What engines that run tests have in common. */
export const TEST_DEFAULTS = {
  ...ENGINE_DEFAULTS,
  timeoutMs: 1_800_000,
  isCacheable: false,
} satisfies Partial<EngineSpec>;
