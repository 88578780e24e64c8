import { POLICY_PATH } from '../model/policy-path.ts';

/** The two names of the policy file. A repository may have one of them. */
export const POLICY_PATHS = [POLICY_PATH, '.github/ratchet.yaml'] as const;

/** Where people put the file instead, at the root. */
export const MISPLACED_PATHS = ['ratchet.yml', 'ratchet.yaml', '.ratchet.yml', '.ratchet.yaml'] as const;

/**
 * Begins the text that stands for policy files that cannot be taken; the reason follows. No text has the character NUL, so it is
 * never valid: the reason is reported, and nothing is launched.
 */
export const FAULT_MARK = '\u0000policy: ';

/** The files that may be a policy. The text is null where there is no such file. */
export interface PolicyPlaces {
  readonly yml: string | null;
  readonly yaml: string | null;
  /** Names of the files in `.github`. */
  readonly folder: readonly string[];
  /** Those of `MISPLACED_PATHS` that exist. */
  readonly misplaced: readonly string[];
}

/** The policy file that counts, or null: there is none. */
export interface ChosenPolicy {
  /** Its path; `.github/ratchet.yml` if there is none. */
  readonly path: string;
  readonly text: string | null;
}

/**
 * Chooses the policy file. Two are a fault, because nobody could tell which one holds. Without any, a file with a similar name is a
 * fault: its author believes that it holds, and Ratchet would act by the defaults.
 */
export function choosePolicy({ yml, yaml, folder, misplaced }: PolicyPlaces): ChosenPolicy {
  const [first, second] = POLICY_PATHS;
  if (yml !== null && yaml !== null)
    return { path: first, text: `${FAULT_MARK}there are two policy files, ${first} and ${second}: remove one` };
  if (yml !== null) return { path: first, text: yml };
  if (yaml !== null) return { path: second, text: yaml };
  const [other] = [...folder.map((name) => `.github/${name}`).filter(isMistaken), ...misplaced];
  if (other === undefined) return { path: first, text: null };
  return { path: other, text: `${FAULT_MARK}${other} is not read: its name must be ${first}` };
}

function isMistaken(path: string): boolean {
  return isPolicyPath(path) && !POLICY_PATHS.some((known) => known === path);
}

/** Whether a path is one of the policy file, or one that people take for it. */
export function isPolicyPath(path: string): boolean {
  return (
    MISPLACED_PATHS.some((known) => known === path) ||
    /^\.github\/\.?ratchet(?:[-_.](?:config|policy))?\.(?:ya?ml|json5?|jsonc|toml)(?:\.txt)?$/iu.test(path)
  );
}
