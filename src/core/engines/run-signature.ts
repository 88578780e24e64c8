import { sha256 } from '../hash/sha256.ts';
import type { DeclaredEngine, EnginePlan, EngineSpec } from '../model/engine.ts';
import { createGlobMatcher } from './glob-matcher.ts';

/** Changes when the same input would have to give another digest. */
const CONFIG_FORMAT = 'config-1';
const RUN_FORMAT = 'run-1';

/**
 * Files that steer what the engine finds, sorted: the one that was chosen, and all that the tool would find by itself. The latter
 * count even where one was chosen: it may build on them, and to compare once too seldom is better than once too often.
 */
export function findConfigFiles(
  { configFiles }: Pick<EngineSpec, 'configFiles'>,
  { configPath }: Pick<EnginePlan, 'configPath'>,
  files: readonly string[],
): readonly string[] {
  const matches = createGlobMatcher(configFiles);
  return files.filter((path) => path === configPath || matches(path)).toSorted();
}

/**
 * SHA-256 of the configuration files by path and text (null: there, but not readable), in any order, and of the command that a
 * policy declares for an engine of its own.
 */
export function toConfigDigest(
  texts: Readonly<Record<string, string | null>>,
  declared: DeclaredEngine | null = null,
): string {
  const sorted = Object.entries(texts).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return sha256(JSON.stringify([CONFIG_FORMAT, sorted, declared === null ? null : toDeclaredList(declared)]));
}

/** In an order of its own: that of the keys of an object is chance. */
function toDeclaredList(declared: DeclaredEngine): readonly unknown[] {
  const { command, format, kind, globs, targetMode, from, matcher, matcherText } = declared;
  return [command, format, kind, globs, targetMode, from, matcher, matcherText];
}

/** What two runs must share for their findings to be compared: the plan, the version of the tool, and how it is configured. */
export interface RunIdentity {
  readonly scopeHash: string;
  readonly version: string | null;
  readonly configDigest: string;
}

/** SHA-256 of the identity of a run. */
export function toRunSignature({ scopeHash, version, configDigest }: RunIdentity): string {
  return sha256(JSON.stringify([RUN_FORMAT, scopeHash, version, configDigest]));
}
