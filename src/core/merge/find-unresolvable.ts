import { judgeChange, type Violation } from '../judge/judge-change.ts';
import type { Sha } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import type { TreeChange } from '../model/tree-change.ts';
import { toNamesText } from '../text/words.ts';
import { findWeakenedValidation, toDefinitionPaths } from '../validation/find-weakened-validation.ts';
import type { ValidationPlan } from '../validation/plan-validation.ts';

/** A file in conflict, before anybody works on it. */
export interface OpenFile {
  readonly path: string;
  /** Text on every side (no pointer of Git LFS), and short enough to be read. */
  readonly isText: boolean;
}

/** Rules that no resolution of such a file could keep. */
const HOPELESS: ReadonlySet<Violation['code']> = new Set(['PROTECTED_PATH', 'PATH_NOT_ALLOWED', 'UNSAFE_ENTRY']);

/**
 * Why a person has to resolve these conflicts: found out before an agent is spent on what the gate would refuse anyway. null:
 * an agent may try. `files` are those that neither memory nor a command resolves.
 */
export function findUnresolvable(
  files: readonly OpenFile[],
  policy: Policy['changes'],
  validation: ValidationPlan & { readonly kind: 'commands' },
): Pick<Violation, 'code' | 'message'> | null {
  const binary = files.filter(({ isText }) => !isText).map(({ path }) => path);
  if (binary.length > 0) {
    return {
      code: 'MERGE_NOT_RESOLVED',
      message: `Conflicts in files that are no plain text: ${toNamesText(binary)}.`,
    };
  }
  const paths = files.map(({ path }) => path);
  const tooMany = findTooMany(paths, policy);
  if (tooMany !== null) return tooMany;
  const hopeless = findHopeless(paths, policy);
  if (hopeless !== null) return { code: hopeless.code, message: `Conflicts in ${toNamesText(hopeless.paths)}.` };
  return findDefining(paths, policy, validation);
}

/** More files in conflict than a change may touch. */
export function findTooMany(
  paths: readonly string[],
  { maxFiles }: Policy['changes'],
): Pick<Violation, 'code' | 'message'> | null {
  if (paths.length <= maxFiles) return null;
  return { code: 'DIFF_TOO_LARGE', message: `Conflicts in ${paths.length} files (at most ${maxFiles}).` };
}

/**
 * The names that git made up for files whose own place something else takes (a folder, a link): `<name>~<commit>`. Nobody wants
 * them in a commit, and where the file belongs is not for an agent to say.
 */
export function findMadeUp(paths: readonly string[], commits: readonly Sha[]): readonly string[] {
  return paths.filter((path) => commits.some((sha) => path.replace(/_\d+$/u, '').endsWith(`~${sha}`)));
}

/** What the rules for changes say of a change to each of `paths`, whatever its content. */
export function findHopeless(paths: readonly string[], policy: Policy['changes']): Violation | null {
  const violations = judgeChange({ changes: paths.map(toChange), patch: '', policy });
  return violations.find(({ code }) => HOPELESS.has(code)) ?? null;
}

function toChange(path: string): TreeChange {
  const modes = { oldMode: '100644', newMode: '100644' };
  return { kind: 'modified', path, ...modes, insertions: 1, deletions: 1, newBytes: 0 };
}

/** The scripts of a `package.json` can be compared with those of both sides afterwards; other definitions cannot. */
function findDefining(
  paths: readonly string[],
  { allowedPaths }: Policy['changes'],
  validation: ValidationPlan & { readonly kind: 'commands' },
): Pick<Violation, 'code' | 'message'> | null {
  const comparable = new Set(toDefinitionPaths(paths));
  const changed = paths.filter((path) => !comparable.has(path));
  const defining = findWeakenedValidation(validation, { before: {}, after: {}, changed, allowedPaths });
  if (defining === null) return null;
  return { code: 'PROTECTED_PATH', message: `A conflict in ${toNamesText([defining.path])}: ${defining.what}.` };
}
