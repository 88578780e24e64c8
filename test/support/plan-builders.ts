import { type PlannedEngines, type PlanRequest, planEngines } from '../../src/core/engines/plan-engines.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../../src/core/model/default-policy.ts';
import type { EngineSpec } from '../../src/core/model/engine.ts';
import type { EngineSettings } from '../../src/core/model/policy.ts';

/** A linter of single Python files that the machine has. */
export function aSpec(change: Partial<EngineSpec> = {}): EngineSpec {
  return {
    id: 'ruff',
    kind: 'lint',
    globs: ['**/*.py'],
    targetMode: 'files',
    launchers: [{ kind: 'program', name: 'ruff', versionArgs: ['--version'] }],
    toCommands: ({ plan }) => [plan.targets],
    output: { from: 'stdout', emptyMeansClean: false },
    parse: () => ({ kind: 'empty' }),
    exitCodes: [],
    configFiles: ['ruff.toml'],
    detection: {},
    env: {},
    timeoutMs: 1000,
    isFix: false,
    ignoreExit: [],
    dependencyRules: [],
    isCacheable: true,
    ...change,
  };
}

export function someSettings(change: Partial<EngineSettings> = {}): EngineSettings {
  return { ...DEFAULT_ENGINE_SETTINGS, ...change };
}

/** What a small repository with two languages holds. */
export const FILES: readonly string[] = [
  'README.md',
  'lib/c.py',
  'pyproject.toml',
  'ruff.toml',
  'src/a.py',
  'src/b.py',
  'src/pkg/d.py',
  'web/index.ts',
];

/** Both modes of one engine, with nothing said. */
export function aPlanRequest(change: Partial<PlanRequest> = {}): PlanRequest {
  return {
    specs: [aSpec()],
    settings: {},
    request: 'both',
    scope: { cli: null, env: null },
    configs: { cli: {}, env: {} },
    files: FILES,
    dependencies: 'ready',
    ...change,
  };
}

/** Plans with what is said of the one engine; `cli` and `env` are paths. */
export function planOne({
  cli = null,
  env = null,
  settings = {},
  spec = {},
  ...change
}: Partial<Omit<PlanRequest, 'settings'>> & {
  readonly cli?: readonly string[] | null;
  readonly env?: readonly string[] | null;
  readonly settings?: Partial<EngineSettings>;
  readonly spec?: Partial<EngineSpec>;
}): PlannedEngines {
  const one = aSpec(spec);
  return planEngines(
    aPlanRequest({ specs: [one], scope: { cli, env }, settings: { [one.id]: someSettings(settings) }, ...change }),
  );
}
