import { isGitFolder } from '../judge/unsafe-entries.ts';

const MAX_NAME_BYTES = 255;

/** The parts of a plan's path below the root of the workplace, or why it cannot be used. */
export type PlanPath =
  | { readonly kind: 'path'; readonly parts: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string };

/** Reads a path as a plan writes it. It stays below the root by its text alone; links are the workplace's affair. */
export function readPlanPath(path: string): PlanPath {
  if (path.startsWith('/')) return refuse('it is absolute; paths are relative to the folder of the plan');
  if (path.includes('\0')) return refuse('it contains a NUL');
  if (!path.isWellFormed()) return refuse('it is not valid Unicode');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return refuse('it contains ".."');
  const problem = parts.map(findNameProblem).find((why) => why !== null);
  return problem === undefined ? { kind: 'path', parts } : refuse(problem);
}

/** Of a file that is written beside its place, or of what is about to be removed. One that is left over belongs to a process that was killed. */
const TEMPORARY = /^\.ratchet-[\da-z-]+\.tmp$/u;

/** A name for something that is gone in a moment. `id`: digits, small letters and dashes. */
export function toTemporaryName(id: string): string {
  return `.ratchet-${id}.tmp`;
}

export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/** Why no step may touch an entry of that name, at any depth; null if one may. */
export function findNameProblem(name: string): string | null {
  if (isGitFolder(name)) return 'it belongs to git';
  // It would be taken for what a killed process left over, and lost.
  if (isTemporaryName(name)) return 'names like that are for files of Ratchet that are gone in a moment';
  return new TextEncoder().encode(name).length > MAX_NAME_BYTES
    ? `a name is longer than ${MAX_NAME_BYTES} bytes`
    : null;
}

function refuse(why: string): PlanPath {
  return { kind: 'refused', why };
}
