import { validRange } from 'semver';
import type { EngineSpec, ExitCodes, VersionedExitCodes } from '../model/engine.ts';
import { findOverlap, renderOverlap } from './exit-codes.ts';

const ID = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;

type CheckedSpec = Pick<EngineSpec, 'id' | 'exitCodes' | 'ignoreExit'>;

/**
 * Problems of a catalogue, one line each; empty if it can be used. Reports invalid or repeated ids, invalid exit codes, codes in
 * two lists (resolution C9), ignored codes that are tool failures (C12), and invalid or unreachable version ranges.
 */
export function checkCatalogue(specs: readonly CheckedSpec[]): readonly string[] {
  const ids = specs.map(({ id }) => id);
  const repeated = new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
  return [
    ...[...repeated].map((id) => `${JSON.stringify(id)} is there more than once`),
    ...specs.flatMap((spec) => checkSpec(spec).map((problem) => `${JSON.stringify(spec.id)}: ${problem}`)),
  ];
}

function checkSpec({ id, exitCodes, ignoreExit }: CheckedSpec): readonly string[] {
  return [
    ...(ID.test(id) ? [] : ['an id is made of lower case letters, digits and single hyphens']),
    ...exitCodes.flatMap(({ versions }, index) => checkRange(versions, index === exitCodes.length - 1)),
    ...exitCodes.flatMap(({ codes }) => checkCodes(codes, ignoreExit)),
  ];
}

function checkRange(versions: VersionedExitCodes['versions'], isLast: boolean): readonly string[] {
  if (versions === null) return isLast ? [] : ['exit codes of all versions come last: what follows never counts'];
  return validRange(versions) === null ? [`${JSON.stringify(versions)} is no range of versions`] : [];
}

function checkCodes(codes: ExitCodes, ignoreExit: EngineSpec['ignoreExit']): readonly string[] {
  const overlap = findOverlap(codes);
  const all = [...codes.success, ...codes.diagnostic, ...codes.toolFailure, ...ignoreExit];
  return [
    ...(overlap === null ? [] : [renderOverlap(overlap)]),
    ...ignoreExit
      .filter((code) => codes.toolFailure.includes(code))
      .map((code) => `exit code ${code} is ignored and a tool failure`),
    ...all.filter((code) => !isExitCode(code)).map((code) => `${code} is no exit code`),
  ];
}

function isExitCode(code: number): boolean {
  return Number.isSafeInteger(code) && code >= 0;
}
