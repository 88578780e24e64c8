import { toCanonicalScope } from '../core/engines/canonical-scope.ts';
import type { ProjectToPlan } from '../core/engines/plan-engine.ts';
import type { EngineConfigError, EngineSpec } from '../core/model/engine.ts';
import type { ConsideredProject } from '../core/model/engine-report.ts';
import type { EngineSettings } from '../core/model/policy.ts';
import { ROOT_PROJECT } from '../core/model/project.ts';
import type { FoundProjects } from '../core/projects/detect-projects.ts';
import { type RepositoryFacts, toPathIn } from '../core/projects/repository-facts.ts';

/** More are a mistake, or a repository that has to name those that it means. */
const MAX_PROJECTS = 3000;
const MAX_SHOWN_GLOBS = 6;

export interface ProjectsToChoose {
  readonly spec: EngineSpec;
  readonly settings: EngineSettings;
  /** Its configuration file, if somebody chose one. */
  readonly configPath: string | null;
  readonly found: FoundProjects;
  readonly facts: RepositoryFacts;
  /** Absolute path of the repository; left out: it is not known. */
  readonly root?: string;
}

export interface ChosenProjects {
  /** Empty if there is an error, else at least one. */
  readonly projects: readonly ProjectToPlan[];
  /** Switches the engine off. */
  readonly error: EngineConfigError | null;
  readonly considered: readonly ConsideredProject[];
}

/**
 * The projects of one engine that is asked for or detected. The policy's list wins. A folder or a configuration file that somebody
 * chose is for one run at the root, and so is an engine whose configuration is found nowhere.
 */
export function chooseProjects(given: ProjectsToChoose): ChosenProjects {
  const { spec, settings, configPath, found } = given;
  const engine = spec.id;
  if (settings.projects !== null) return takeNamed(given, settings.projects);
  const isChosen = !settings.enabled || settings.declared !== null || settings.cwd !== null || configPath !== null;
  if (isChosen || found.taken.length === 0) {
    const why = isChosen ? 'its settings say how it runs' : toNothingWords(spec);
    return take(given, [{ project: ROOT_PROJECT, why }], isChosen ? [] : found.left);
  }
  if (found.taken.length > MAX_PROJECTS) {
    const message = `it has ${String(found.taken.length)} projects; at most ${String(MAX_PROJECTS)} can be checked at a time: name them under "projects"`;
    return { projects: [], error: { engine, code: 'INVALID_SETTING', message }, considered: [] };
  }
  return take(given, found.taken, found.left);
}

/** What was considered for an engine that is neither asked for nor detected. */
export function toUnused(spec: EngineSpec, { taken, left }: FoundProjects): readonly ConsideredProject[] {
  const engine = spec.id;
  if (taken.length === 0 && left.length === 0) {
    return [{ engine, project: null, isTaken: false, why: toNothingWords(spec) }];
  }
  const others = taken.map(({ project }) => ({ project, why: 'the policy does not name the engine' }));
  return [...others, ...left].map(({ project, why }) => ({ engine, project, isTaken: false, why }));
}

/** What detection looks for. */
function toNothingWords({ detection }: EngineSpec): string {
  const { files = [], nodePackage, packageKey, pythonSection = [], cargoSection = [] } = detection;
  const wanted = [
    ...files.slice(0, MAX_SHOWN_GLOBS),
    ...[...pythonSection, ...cargoSection].map((section) => `section ${section}${section.endsWith(']') ? '' : ' …]'}`),
    ...(packageKey === undefined ? [] : [`key "${packageKey}" in package.json`]),
    ...(nodePackage === undefined ? [] : [`package.json that depends on ${nodePackage}`]),
  ];
  return wanted.length === 0 ? 'it is not looked for' : `there is no ${wanted.join(', no ')}`;
}

function takeNamed(given: ProjectsToChoose, named: readonly string[]): ChosenProjects {
  const engine = given.spec.id;
  const fail = (message: string): ChosenProjects => ({
    projects: [],
    error: { engine, code: 'INVALID_SETTING', message: `"projects": ${message}` },
    considered: [],
  });
  const all = named.map((path) => toCanonicalScope([path], given.root));
  const problems = all.flatMap((scope) => (scope.kind === 'invalid' ? scope.problems : []));
  if (problems.length > 0) return fail(problems.join('; '));
  const folders = [...new Set(all.flatMap((scope) => (scope.kind === 'scope' ? scope.paths : [])))].toSorted();
  if (folders.length === 0) return fail('an empty list, which switches the engine off');
  if (folders.length > MAX_PROJECTS) return fail(`at most ${String(MAX_PROJECTS)}`);
  const { files } = given.facts;
  const missing = folders.find(
    (folder) => folder !== ROOT_PROJECT && !files.some((path) => path.startsWith(`${folder}/`)),
  );
  if (missing !== undefined) return fail(`${JSON.stringify(missing)} is not a folder of the repository`);
  return take(
    given,
    folders.map((project) => ({ project, why: 'the policy names it' })),
    [],
  );
}

function take(
  { spec, configPath, facts }: ProjectsToChoose,
  taken: FoundProjects['taken'],
  left: FoundProjects['left'],
): ChosenProjects {
  const engine = spec.id;
  return {
    error: null,
    projects: taken.map(({ project }) => ({
      project,
      hasOwnScope: hasOwnScope(spec, { project, configPath, facts }),
      ...(configPath === null && spec.reachesOut?.(project, facts) === true ? { reachesOut: true } : {}),
    })),
    considered: [
      ...taken.map(({ project, why }) => ({ engine, project, isTaken: true, why })),
      ...left.map(({ project, why }) => ({ engine, project, isTaken: false, why })),
    ].toSorted(byProject),
  };
}

function byProject({ project: left }: ConsideredProject, { project: right }: ConsideredProject): number {
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

/** A configuration file that somebody chose replaces those that the tool would find. */
function hasOwnScope(
  spec: EngineSpec,
  {
    project,
    configPath,
    facts,
  }: { readonly project: string; readonly configPath: string | null; readonly facts: RepositoryFacts },
): boolean {
  const read = (path: string): string | null => (Object.hasOwn(facts.texts, path) ? (facts.texts[path] ?? null) : null);
  const readText = configPath === null ? (name: string) => read(toPathIn(project, name)) : () => read(configPath);
  return spec.hasOwnScope?.(readText) ?? false;
}
