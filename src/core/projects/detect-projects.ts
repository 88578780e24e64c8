import { createScopeMatcher, toParents } from '../engines/canonical-scope.ts';
import { createGlobMatcher } from '../engines/glob-matcher.ts';
import { createFindOwner } from '../engines/own-files.ts';
import { toPackageNames } from '../engines/to-package-names.ts';
import { parseJsonObject } from '../json/parse-json-object.ts';
import type { EngineSpec } from '../model/engine.ts';
import { ROOT_PROJECT } from '../model/project.ts';
import { type GoModules, readCargoRoots, readGoModules } from './native-projects.ts';
import { type NodePackages, readNodePackages } from './node-workspaces.ts';
import { isForeign, isInstalled, type RepositoryFacts, toFolder, toName, toPathIn } from './repository-facts.ts';
import { findReferencedFolders, readTsFolder } from './ts-configs.ts';

/** A folder, and what shows that it is a project, or why it is none. */
export interface FoundProject {
  readonly project: string;
  readonly why: string;
}

/** The folders that an engine may have as projects. Both lists are sorted; each folder is in one of them, once. */
export interface FoundProjects {
  readonly taken: readonly FoundProject[];
  readonly left: readonly FoundProject[];
}

/** What the policy says of the projects of all engines. */
export interface ProjectRules {
  /** Folders that are projects of each engine that is used and has files there. Canonical. */
  readonly add: readonly string[];
  /** Globs of folders that are no projects of their own. */
  readonly exclude: readonly string[];
}

export const NO_PROJECT_RULES: ProjectRules = { add: [], exclude: [] };

type DetectedSpec = Pick<EngineSpec, 'id' | 'globs' | 'detection' | 'launchers'>;

const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;
const PYTHON_FILES: readonly string[] = ['pyproject.toml', 'setup.cfg', 'tox.ini'];
/** Where one of these is, a package of Python begins. */
const PYTHON_ROOTS: readonly string[] = [...PYTHON_FILES, 'setup.py'];

/** The same, and the file that shows it; null: the policy does. */
interface Candidate extends FoundProject {
  readonly file: string | null;
}

/** What is read once for all engines. */
interface Repository {
  readonly facts: RepositoryFacts;
  /** Files by their last name, without installed packages. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
  readonly packages: NodePackages;
  readonly modules: GoModules;
  readonly cargoRoots: readonly string[];
  readonly pythonRoots: readonly string[];
  readonly findText: (path: string) => string | null;
}

/**
 * The projects of each engine: the folders whose configuration the tool itself would take. Folders of installed packages never
 * count; fixtures, packages that no workspace names, and modules that Go refuses are told with the reason.
 */
export function detectProjects(
  specs: readonly DetectedSpec[],
  facts: RepositoryFacts,
  rules: ProjectRules = NO_PROJECT_RULES,
): ReadonlyMap<string, FoundProjects> {
  const repository = readRepository(facts);
  return new Map(specs.map((spec) => [spec.id, detect(spec, repository, rules)] as const));
}

function readRepository(facts: RepositoryFacts): Repository {
  const byName = Map.groupBy(
    facts.files.filter((path) => !isInstalled(path)),
    toName,
  );
  return {
    facts,
    byName,
    packages: readNodePackages(facts),
    modules: readGoModules(facts),
    cargoRoots: readCargoRoots(facts),
    pythonRoots: PYTHON_ROOTS.flatMap((name) => (byName.get(name) ?? []).map(toFolder)),
    findText: (path) => (Object.hasOwn(facts.texts, path) ? (facts.texts[path] ?? null) : null),
  };
}

function detect(spec: DetectedSpec, repository: Repository, { add, exclude }: ProjectRules): FoundProjects {
  const candidates = [
    ...toUnits(spec, findConfigured(spec, repository), repository),
    ...findAdded(spec, repository, add),
  ];
  const isExcluded = createGlobMatcher(exclude);
  const findObstacle = createFindObstacle(spec, candidates, repository);
  const taken: FoundProject[] = [];
  const left: FoundProject[] = [];
  for (const { project, why } of byProject([...candidates, ...findSigned(spec, candidates, repository)])) {
    const obstacle = isExcluded(project) ? 'the policy excludes it' : findObstacle(project);
    if (obstacle === null || (add.includes(project) && !isExcluded(project))) taken.push({ project, why });
    else left.push({ project, why: obstacle });
  }
  return { taken, left };
}

/** Sorted; of several reasons for a project the first. */
function byProject(found: readonly Candidate[]): readonly Candidate[] {
  const first = new Map(found.toReversed().map((one) => [one.project, one]));
  return [...first.values()].toSorted((one, other) => (one.project < other.project ? -1 : 1));
}

/** The folders in which a file configures the engine. */
function findConfigured({ detection }: DetectedSpec, repository: Repository): readonly Candidate[] {
  const { files = [], nodePackage, packageKey, pythonSection = [], cargoSection = [] } = detection;
  const matches = createNameMatcher(files.filter((glob) => !glob.includes('/')));
  const named = [...repository.byName].flatMap(([name, paths]) => (matches(name) ? paths : []));
  return [
    ...named.map((file) => ({ project: toFolder(file), why: file, file })),
    ...(packageKey === undefined ? [] : findKeys(packageKey, repository)),
    ...(nodePackage === undefined ? [] : findDependants(nodePackage, repository)),
    ...findSections(PYTHON_FILES, pythonSection, repository),
    ...findSections(['Cargo.toml'], cargoSection, repository),
  ];
}

/** Most names do not begin like any of the globs, which is far cheaper to see. */
function createNameMatcher(globs: readonly string[]): (name: string) => boolean {
  const matchers = globs.map((glob) => {
    return { start: glob.split(/[*?{[(!+@]/u, 1).join(''), matches: createGlobMatcher([glob]) };
  });
  return (name) => matchers.some(({ start, matches }) => name.startsWith(start) && matches(name));
}

function findDependants(nodePackage: string, { byName, findText }: Repository): readonly Candidate[] {
  const manifests = byName.get('package.json') ?? [];
  return manifests
    .filter((path) => toPackageNames(findText(path) ?? '', DEPENDENCY_FIELDS).has(nodePackage))
    .map((file) => ({ project: toFolder(file), why: `${file} depends on ${nodePackage}`, file }));
}

function findKeys(key: string, { byName, findText }: Repository): readonly Candidate[] {
  const manifests = byName.get('package.json') ?? [];
  return manifests
    .filter((path) => Object.hasOwn(parseJsonObject(findText(path) ?? '') ?? {}, key))
    .map((file) => ({ project: toFolder(file), why: `${file}: "${key}"`, file }));
}

function findSections(
  names: readonly string[],
  sections: readonly string[],
  { byName, findText }: Repository,
): readonly Candidate[] {
  if (sections.length === 0) return [];
  return names
    .flatMap((name) => byName.get(name) ?? [])
    .flatMap((file) => {
      const lines = (findText(file) ?? '').split('\n');
      const section = sections.find((start) => lines.some((line) => line.startsWith(start)));
      return section === undefined ? [] : [{ project: toFolder(file), why: `${file}: ${section}`, file }];
    });
}

/** Replaces folders of configurations by the folders that the tool can run in. */
function toUnits(
  { detection: { unit } }: DetectedSpec,
  found: readonly Candidate[],
  { modules, cargoRoots }: Repository,
): readonly Candidate[] {
  switch (unit) {
    case 'go':
      return found.flatMap((one) => {
        const { inner, outer } = findUnits(one.project, modules.folders);
        return toName(one.why) === 'go.mod' ? [one] : moveTo(one, [inner, outer]);
      });
    case 'cargo':
      return found.flatMap((one) => {
        const { inner, outer } = findUnits(one.project, cargoRoots);
        return moveTo(one, [outer, inner]);
      });
    default:
      return found;
  }
}

/** The units at or below a folder, and the nearest one at or above it. */
function findUnits(
  folder: string,
  units: readonly string[],
): { readonly inner: readonly string[]; readonly outer: readonly string[] } {
  const isUnit = new Set(units);
  const isBelow = createScopeMatcher([folder]);
  return {
    inner: units.filter((unit) => unit === folder || isBelow(unit)),
    outer: [folder, ...toParents(folder)].filter((up) => isUnit.has(up)).slice(0, 1),
  };
}

/** To the first list of folders that is not empty. A configuration without any stays where it is. */
function moveTo(candidate: Candidate, choices: readonly (readonly string[])[]): readonly Candidate[] {
  const folders = choices.find((choice) => choice.length > 0) ?? [candidate.project];
  return folders.map((project) => ({ ...candidate, project }));
}

function findAdded({ globs }: DetectedSpec, { facts }: Repository, add: readonly string[]): readonly Candidate[] {
  if (add.length === 0) return [];
  const isForEngine = createGlobMatcher(globs);
  const findFolder = createFindOwner(add);
  const folders = new Set(facts.files.filter(isForEngine).map(findFolder));
  return add
    .filter((folder) => folders.has(folder))
    .map((project) => ({ project, why: 'the policy adds it', file: null }));
}

/** Files that show the use of the engine and lie in no project: the package around them is one. */
function findSigned(
  { detection: { files = [], unit } }: DetectedSpec,
  candidates: readonly Candidate[],
  { facts, modules, pythonRoots }: Repository,
): readonly Candidate[] {
  const globs = files.filter((glob) => glob.includes('/'));
  if (globs.length === 0) return [];
  const findOwner = createFindOwner(candidates.map(({ project }) => project));
  const roots: Readonly<Record<string, readonly string[]>> = { go: modules.folders, python: pythonRoots };
  const isRoot = new Set(unit === undefined ? [] : roots[unit]);
  const toProject = (path: string): string =>
    toParents(path).find((folder) => isRoot.has(folder) && !isForeign(folder)) ?? ROOT_PROJECT;
  return facts.files
    .filter((path) => !isInstalled(path))
    .filter(createGlobMatcher(globs))
    .filter((path) => findOwner(path) === null)
    .map((file) => ({ project: toProject(file), why: file, file }));
}

type FindObstacle = (folder: string) => string | null;

/** Why a folder with a configuration is no project of the engine. */
function createFindObstacle(
  spec: DetectedSpec,
  candidates: readonly Candidate[],
  repository: Repository,
): FindObstacle {
  const { packages, modules } = repository;
  const { detection, launchers } = spec;
  const isOfNode = launchers.length > 0 && launchers.every(({ kind }) => kind === 'node');
  const findInnerObstacle = createFindInnerObstacle(spec, candidates, repository);
  const isReferenced = detection.unit === 'tsconfig' ? findReferenced(candidates, repository) : new Set<string>();
  return (folder) => {
    const inner = findInnerObstacle(folder);
    if (inner !== null || isReferenced.has(folder)) return inner;
    const owner = packages.findPackage(folder);
    if (isForeign(folder) && !(owner === folder && packages.isMember(folder)))
      return 'it is in a folder of fixtures or of code of others';
    if (detection.unit === 'go') return modules.findObstacle(folder);
    return isOfNode && owner !== null ? packages.findObstacle(owner) : null;
  };
}

function findReferenced(candidates: readonly Candidate[], { facts }: Repository): ReadonlySet<string> {
  const own = candidates.map(({ project }) => project).filter((project) => !isForeign(project));
  return findReferencedFolders(
    own.map((project) => toPathIn(project, 'tsconfig.json')),
    facts,
  );
}

/** Why the configuration of a folder is used by the tool, but not as one of its own. */
function createFindInnerObstacle(
  { detection: { unit, outer, inner } }: DetectedSpec,
  candidates: readonly Candidate[],
  { facts, findText }: Repository,
): FindObstacle {
  if (unit === 'tsconfig') {
    return (folder) => {
      const read = readTsFolder(folder, facts);
      return read.kind === 'none' ? read.why : null;
    };
  }
  if (outer === undefined && inner === undefined) return () => null;
  const folders = new Set(candidates.map(({ project }) => project));
  const isLike = (folder: string, pattern: RegExp | undefined): boolean =>
    candidates.some(
      ({ project, file }) =>
        project === folder && file !== null && pattern?.test(`${file}\n${findText(file) ?? ''}`) === true,
    );
  return (folder) => {
    const above = toParents(folder).filter((up) => folders.has(up));
    if (above.length === 0) return null;
    if (isLike(folder, inner)) return 'its configuration is a part of the one above';
    const taking = above.find((up) => isLike(up, outer));
    return taking === undefined ? null : `the configuration of ${taking} takes it`;
  };
}
