import { coerce, satisfies } from 'semver';
import type { EngineSettings, EngineSpec, ExitCodes, VersionedExitCodes } from '../model/engine.ts';

export type ExitCodeList = keyof ExitCodes;

/** In the order in which they count (003.R6). */
const LISTS = ['toolFailure', 'success', 'diagnostic'] as const satisfies readonly ExitCodeList[];

/** Nothing is declared: conventions alone tell what a code means (003.R18). */
export const NO_EXIT_CODES: ExitCodes = { success: [], diagnostic: [], toolFailure: [] };

/** The list that a code stands in; null: in none. */
export function findExitCodeList(code: number, codes: ExitCodes): ExitCodeList | null {
  return LISTS.find((list) => codes[list].includes(code)) ?? null;
}

/**
 * What the exit codes of a tool mean in this version: as the catalogue has it for the first range that takes the version, and
 * then as the policy says. A list of the policy replaces the catalogue's; its codes leave the other lists (003.R17, R18).
 */
export function selectExitCodes(
  spec: Pick<EngineSpec, 'exitCodes'>,
  version: string | null,
  settings: Pick<EngineSettings, 'exitCodes'>,
): ExitCodes {
  const declared = spec.exitCodes.find(({ versions }) => isInRange(version, versions))?.codes ?? NO_EXIT_CODES;
  return override(declared, settings.exitCodes);
}

/** `v1.2`, `go1.19` and `7.0.0-beta` are versions too; a pre-release counts as what it leads to. */
function isInRange(version: string | null, range: VersionedExitCodes['versions']): boolean {
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

/** A code that stands in several lists, which is an error: nobody can say what it means (resolution C9). */
export interface ExitCodeOverlap {
  readonly code: number;
  readonly lists: readonly ExitCodeList[];
}

/** The first code that stands in two lists or more; null: there is none. */
export function findOverlap(codes: ExitCodes): ExitCodeOverlap | null {
  const overlaps = LISTS.flatMap((list) => codes[list]).map((code) => ({
    code,
    lists: LISTS.filter((list) => codes[list].includes(code)),
  }));
  return overlaps.find(({ lists }) => lists.length > 1) ?? null;
}

/** `exit code 1 stands in toolFailure and in success`. */
export function renderOverlap({ code, lists }: ExitCodeOverlap): string {
  return `exit code ${code} stands in ${lists.join(' and in ')}`;
}
