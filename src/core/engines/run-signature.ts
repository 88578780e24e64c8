import { sha256 } from '../hash/sha256.ts';
import type { EnginePlan, EngineSpec } from '../model/engine.ts';
import type { DeclaredEngine } from '../model/policy.ts';
import { ROOT_PROJECT } from '../model/project.ts';
import { toParents } from './canonical-scope.ts';
import { createGlobMatcher } from './glob-matcher.ts';

/** Change these if the same input must give another digest. */
const CONFIG_FORMAT = 'config-1';
const RUN_FORMAT = 'run-1';

/**
 * Files that configure the engine in a project, sorted: the chosen one, and all that the tool would find by itself, from the
 * folder of the project up to the root. The latter count even if one was chosen, because it may extend them. An unnecessary "not
 * comparable" is better than a wrong comparison.
 */
export function findConfigFiles(
  { configFiles }: Pick<EngineSpec, 'configFiles'>,
  { configPath, project }: Pick<EnginePlan, 'configPath' | 'project'>,
  files: readonly string[],
): readonly string[] {
  const byFolder = findConfigsByFolder(configFiles, files);
  const found = [project, ...toParents(project)].flatMap((folder) => byFolder.get(folder) ?? []);
  const chosen = configPath !== null && files.includes(configPath) ? [configPath] : [];
  return [...new Set([...chosen, ...found])].toSorted();
}

type ByFolder = ReadonlyMap<string, readonly string[]>;

/** A repository with thousands of projects asks once for each. */
const KNOWN = new WeakMap<readonly string[], Map<readonly string[], ByFolder>>();

function findConfigsByFolder(globs: readonly string[], files: readonly string[]): ByFolder {
  const known = KNOWN.get(files) ?? new Map<readonly string[], ByFolder>();
  KNOWN.set(files, known);
  const made = known.get(globs) ?? makeConfigsByFolder(globs, files);
  known.set(globs, made);
  return made;
}

/** By folder, the files that match the globs as seen from there. A glob for all folders counts at the root only. */
function makeConfigsByFolder(globs: readonly string[], files: readonly string[]): ByFolder {
  const matches = createGlobMatcher(globs);
  const matchesName = createGlobMatcher(globs.map(toName));
  const byFolder = new Map<string, string[]>();
  for (const path of files.filter((candidate) => matchesName(toName(candidate)))) {
    const isOfRoot = matches(path);
    for (const folder of isOfRoot ? [ROOT_PROJECT] : toParents(path)) {
      const relative = folder === ROOT_PROJECT ? path : path.slice(folder.length + 1);
      if (isOfRoot || matches(relative)) byFolder.set(folder, [...(byFolder.get(folder) ?? []), path]);
    }
  }
  return byFolder;
}

function toName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * SHA-256 of the configuration files by path and text (null: exists, but unreadable), in any order, and of the command of an
 * engine that the policy declares.
 */
export function toConfigDigest(
  texts: Readonly<Record<string, string | null>>,
  declared: DeclaredEngine | null = null,
): string {
  const sorted = Object.entries(texts).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return sha256(JSON.stringify([CONFIG_FORMAT, sorted, declared === null ? null : toDeclaredList(declared)]));
}

/** In a fixed order, because the order of an object's keys is arbitrary. */
function toDeclaredList(declared: DeclaredEngine): readonly unknown[] {
  const { command, format, kind, globs, targets, from, matcher, matcherText, emptyMeansClean } = declared;
  return [command, format, kind, globs, targets, from, matcher, matcherText, emptyMeansClean];
}

/** What two runs must share for their findings to be compared: plan, tool version and configuration. */
export interface RunIdentity {
  readonly scopeHash: string;
  readonly version: string | null;
  readonly configDigest: string;
}

/** SHA-256 of a run's identity. */
export function toRunSignature({ scopeHash, version, configDigest }: RunIdentity): string {
  return sha256(JSON.stringify([RUN_FORMAT, scopeHash, version, configDigest]));
}
