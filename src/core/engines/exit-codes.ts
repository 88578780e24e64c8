import { coerce, satisfies } from 'semver';
import type { EngineConfigError, EngineSpec, ExitCodes, VersionedExitCodes } from '../model/engine.ts';
import type { EngineSettings } from '../model/policy.ts';

export type ExitCodeList = keyof ExitCodes;

/** In order of precedence (003.R6). */
const LISTS = ['toolFailure', 'success', 'diagnostic'] as const satisfies readonly ExitCodeList[];

/** No declared codes: only conventions say what a code means (003.R18). */
export const NO_EXIT_CODES: ExitCodes = { success: [], diagnostic: [], toolFailure: [] };

/** The list that contains a code; null if none does. */
export function findExitCodeList(code: number, codes: ExitCodes): ExitCodeList | null {
  return LISTS.find((list) => codes[list].includes(code)) ?? null;
}

/**
 * Meaning of a tool's exit codes in one version: the catalogue's entry for the first range that contains the version, overridden
 * by the policy. A list of the policy replaces the catalogue's, and its codes are removed from the other lists (003.R17, R18).
 */
export function selectExitCodes(
  spec: Pick<EngineSpec, 'exitCodes'>,
  version: string | null,
  settings: Pick<EngineSettings, 'exitCodes'>,
): ExitCodes {
  const declared = spec.exitCodes.find(({ versions }) => isInRange(version, versions))?.codes ?? NO_EXIT_CODES;
  return override(declared, settings.exitCodes);
}

/**
 * Whether a version is in a semver range; null is the range of all versions. Also accepts `v1.2`, `go1.19` and `7.0.0-beta`. A
 * pre-release counts as its release, and an unknown version is in no other range.
 */
export function isInRange(version: string | null, range: VersionedExitCodes['versions']): boolean {
  if (range === null) return true;
  const coerced = coerce(version);
  return coerced !== null && satisfies(coerced, range);
}

function override(declared: ExitCodes, overrides: Partial<ExitCodes>): ExitCodes {
  const taken = LISTS.flatMap((list) => overrides[list] ?? []);
  const toList = (list: ExitCodeList): readonly number[] =>
    overrides[list] ?? declared[list].filter((code) => !taken.includes(code));
  return { success: toList('success'), diagnostic: toList('diagnostic'), toolFailure: toList('toolFailure') };
}

/** A code in several lists: an error, because its meaning is ambiguous (resolution C9). */
export interface ExitCodeOverlap {
  readonly code: number;
  readonly lists: readonly ExitCodeList[];
}

/** The first code that is in two or more lists; null if there is none. */
export function findOverlap(codes: ExitCodes): ExitCodeOverlap | null {
  const overlaps = LISTS.flatMap((list) => codes[list]).map((code) => ({
    code,
    lists: LISTS.filter((list) => codes[list].includes(code)),
  }));
  return overlaps.find(({ lists }) => lists.length > 1) ?? null;
}

/** The error of an engine whose own lists name a code twice (resolution C9), or none. */
export function toOverlapError(
  engine: string,
  { exitCodes }: Pick<EngineSettings, 'exitCodes'>,
): readonly EngineConfigError[] {
  const overlap = findOverlap({ ...NO_EXIT_CODES, ...exitCodes });
  return overlap === null ? [] : [{ engine, code: 'OVERLAPPING_EXIT_CODES', message: renderOverlap(overlap) }];
}

/** For example `exit code 1 stands in toolFailure and in success`. */
export function renderOverlap({ code, lists }: ExitCodeOverlap): string {
  return `exit code ${code} stands in ${lists.join(' and in ')}`;
}
