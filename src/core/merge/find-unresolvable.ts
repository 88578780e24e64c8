import { judgeChange, type Violation } from '../judge/judge-change.ts';
import type { Sha } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import type { TreeChange } from '../model/tree-change.ts';
import { toNamesText } from '../text/words.ts';
import { findWeakenedValidation, toDefinitionPaths } from '../validation/find-weakened-validation.ts';
import type { ValidationPlan } from '../validation/plan-validation.ts';

/** A file in conflict that has not been resolved yet. */
export interface OpenFile {
  readonly path: string;
  /** Every side is text (not a Git LFS pointer) and short enough to be read. */
  readonly isText: boolean;
}

/** Rules that no resolution of the file can satisfy. */
const UNSATISFIABLE: ReadonlySet<Violation['code']> = new Set(['PROTECTED_PATH', 'PATH_NOT_ALLOWED', 'UNSAFE_ENTRY']);

/**
 * Why a person has to resolve these conflicts; null if an agent may try. Checked first, so that no agent run is spent
 * on a change that the gate would refuse. `files` are those that neither memory nor a command resolves.
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
  return findDefinitionConflict(paths, policy, validation);
}

/** Returns a violation if more files conflict than a change may touch. */
export function findTooMany(
  paths: readonly string[],
  { maxFiles }: Policy['changes'],
): Pick<Violation, 'code' | 'message'> | null {
  if (paths.length <= maxFiles) return null;
  return { code: 'DIFF_TOO_LARGE', message: `Conflicts in ${paths.length} files (at most ${maxFiles}).` };
}

/**
 * Paths named `<name>~<commit>`. Git uses such a name if something else, such as a folder or a link, occupies the
 * file's own path. They do not belong into a commit, and an agent must not decide where the file goes.
 */
export function findMadeUp(paths: readonly string[], commits: readonly Sha[]): readonly string[] {
  return paths.filter((path) => commits.some((sha) => path.replace(/_\d+$/u, '').endsWith(`~${sha}`)));
}

/** A rule that forbids any change to one of `paths`, regardless of content; null if there is none. */
export function findHopeless(paths: readonly string[], policy: Policy['changes']): Violation | null {
  const violations = judgeChange({ changes: paths.map(toChange), patch: '', policy });
  return violations.find(({ code }) => UNSATISFIABLE.has(code)) ?? null;
}

function toChange(path: string): TreeChange {
  const modes = { oldMode: '100644', newMode: '100644' };
  return { kind: 'modified', path, ...modes, insertions: 1, deletions: 1, newBytes: 0 };
}

/** The scripts of a `package.json` can be compared with both sides afterwards. Other definition files cannot. */
function findDefinitionConflict(
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
