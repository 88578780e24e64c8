import { toCanonicalPath } from '../../core/engines/canonical-scope.ts';
import type { ProjectToPlan } from '../../core/engines/plan-engine.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../../core/model/default-policy.ts';
import type { EngineSpec } from '../../core/model/engine.ts';
import type { EnginesReport } from '../../core/model/engine-report.ts';
import { ConfigError } from '../../core/model/errors.ts';
import type { EngineSettings, EnginesPolicy } from '../../core/model/policy.ts';
import { isDetected } from '../../core/projects/detect-engines.ts';
import { detectProjects, type FoundProjects, type ProjectRules } from '../../core/projects/detect-projects.ts';
import { findDetectionFiles, type RepositoryFacts } from '../../core/projects/repository-facts.ts';
import { chooseProjects, toUnused } from '../../engines/choose-projects.ts';
import { type SettledEngines, settleEngines } from '../../engines/settle-engines.ts';
import type { EngineHost } from '../../ports/engine-host.ts';
import { forEachAtOnce } from './for-each-at-once.ts';

/** What decides which engines run where. */
export interface EnginesWish {
  /** null: no policy; the engines are detected from the repository. */
  readonly policy: EnginesPolicy | null;
  /** Ids of the engines to run, even if the policy does not name them; null: all. */
  readonly only: readonly string[] | null;
  /** Configuration file by engine id. */
  readonly configs: {
    readonly cli: Readonly<Record<string, string>>;
    readonly env: Readonly<Record<string, string>>;
  };
}

const MAX_DETECTION_BYTES = 1024 * 1024;
const MAX_MATCHER_BYTES = 256 * 1024;
const READ_AT_ONCE = 32;

/** What is run where, and why. */
export interface SettledProjects extends SettledEngines {
  readonly facts: RepositoryFacts;
  readonly projects: Readonly<Record<string, readonly ProjectToPlan[]>>;
  readonly considered: EnginesReport['projects'];
}

/**
 * Chooses the engines, and the projects of each. An error in the projects of an engine switches off that engine.
 * @throws ConfigError if `only` names an unknown engine.
 */
export async function settleProjects(
  { host, catalogue }: { readonly host: EngineHost; readonly catalogue: readonly EngineSpec[] },
  request: EnginesWish,
): Promise<SettledProjects> {
  const policy = request.policy === null ? null : await readMatchers(host, request.policy);
  const facts = await readFacts(host);
  const rules = toProjectRules(policy, host.root);
  const found = detectProjects(catalogue, facts, rules);
  const detected = catalogue.filter((spec) => isDetected(spec) && (found.get(spec.id)?.taken.length ?? 0) > 0);
  const settled = chooseEngines({ ...request, policy }, catalogue, toIds(detected));
  const chosen = await Promise.all(
    settled.specs.map(async (spec) => {
      const settings = settled.settings[spec.id] ?? DEFAULT_ENGINE_SETTINGS;
      const configPath = request.configs.cli[spec.id] ?? request.configs.env[spec.id] ?? settings.config;
      const texts = configPath === null ? {} : { [configPath]: await host.readText(configPath, MAX_DETECTION_BYTES) };
      const of = { found: found.get(spec.id) ?? NO_PROJECTS, facts: { ...facts, texts: { ...facts.texts, ...texts } } };
      return { spec, ...chooseProjects({ spec, settings, configPath, root: host.root, ...of }) };
    }),
  );
  const unused = catalogue.filter((spec) => isDetected(spec) && !settled.specs.includes(spec));
  return {
    facts,
    specs: chosen.filter(({ error }) => error === null).map(({ spec }) => spec),
    settings: settled.settings,
    configErrors: [...settled.configErrors, ...chosen.flatMap(({ error }) => error ?? [])],
    projects: Object.fromEntries(chosen.map(({ spec, projects }) => [spec.id, projects])),
    considered: [
      ...chosen.flatMap(({ considered }) => considered),
      ...unused.flatMap((spec) => toUnused(spec, found.get(spec.id) ?? NO_PROJECTS)),
    ].toSorted(byEngine),
  };
}

const NO_PROJECTS: FoundProjects = { taken: [], left: [] };

/** Entries that lead out of the repository name nothing. */
function toProjectRules(policy: EnginesPolicy | null, root: string): ProjectRules {
  const { add = [], exclude = [] } = policy?.projects ?? {};
  return { add: add.flatMap((path) => toCanonicalPath(path, root) ?? []), exclude };
}

function toIds(specs: readonly Pick<EngineSpec, 'id'>[]): readonly string[] {
  return specs.map(({ id }) => id);
}

/** Engines in `only` are selected even if neither policy nor repository names them. */
function chooseEngines(
  { policy, only }: Pick<EnginesWish, 'policy' | 'only'>,
  catalogue: readonly EngineSpec[],
  detected: readonly string[],
): SettledEngines {
  if (only === null) return settleEngines({ policy, catalogue, detected });
  const known = [...new Set([...catalogue.map(({ id }) => id), ...Object.keys(policy?.engines ?? {})])].toSorted();
  const unknown = only.filter((id) => !known.includes(id));
  if (unknown.length > 0) {
    throw new ConfigError(
      unknown.map((id) => `there is no engine ${JSON.stringify(id)}; there are ${known.join(', ')}`),
    );
  }
  const { specs, settings, configErrors } = settleEngines({
    policy: policy === null ? null : { ...policy, auto: true },
    catalogue,
    detected: only,
  });
  return {
    specs: specs.filter(({ id }) => only.includes(id)),
    settings,
    configErrors: configErrors.filter(({ engine }) => only.includes(engine)),
  };
}

async function readFacts({ files, readText }: EngineHost): Promise<RepositoryFacts> {
  const texts: Record<string, string | null> = {};
  await forEachAtOnce(findDetectionFiles(files), READ_AT_ONCE, async (path) => {
    texts[path] = await readText(path, MAX_DETECTION_BYTES);
  });
  return { files, texts };
}

/** Adds the text of problem matchers that have not been read yet. */
async function readMatchers(host: EngineHost, policy: EnginesPolicy): Promise<EnginesPolicy> {
  const engines: Record<string, EngineSettings> = {};
  for (const [id, settings] of Object.entries(policy.engines)) {
    const { declared } = settings;
    const isUnread = declared !== null && declared.matcher !== null && declared.matcherText === null;
    if (!isUnread) {
      engines[id] = settings;
      continue;
    }
    const matcherText = await host.readText(declared.matcher, MAX_MATCHER_BYTES);
    engines[id] = { ...settings, declared: { ...declared, matcherText } };
  }
  return { ...policy, engines };
}

function byEngine(left: { readonly engine: string }, right: { readonly engine: string }): number {
  if (left.engine === right.engine) return 0;
  return left.engine < right.engine ? -1 : 1;
}
