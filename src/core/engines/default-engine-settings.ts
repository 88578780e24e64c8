import type { EngineSettings } from '../model/engine.ts';

/** Settings of an engine that the policy does not mention. */
export const DEFAULT_ENGINE_SETTINGS: EngineSettings = {
  enabled: true,
  paths: null,
  config: null,
  args: [],
  env: {},
  profile: null,
  cwd: null,
  exitCodes: {},
  timeoutSeconds: null,
  required: false,
  declared: null,
};
