import { isNamedBy } from '../paths/path-globs.ts';
import { toScripts, type ValidationPlan } from './plan-validation.ts';

/** Texts of the changed `package.json` files by path, before and after; a missing file has no entry. */
export interface DefinitionFiles {
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  /** Every path that the change touches. */
  readonly changed: readonly string[];
  /** `allowedPaths` of the policy. */
  readonly allowedPaths: readonly string[] | null;
}

/** Files that `make` reads by itself (some take precedence over `Makefile`), or that such files usually include. */
const MAKE_FILE = /(?:^|\/)(?:(?:gnu|bsd)?makefile|[^/]*\.(?:mk|mak|make))$/iu;
/**
 * Files that test runners and linters load by themselves, regardless of the command: one line in them can skip every test.
 * Allowed if an `allowedPaths` glob ends in the exact name of the file.
 */
const RUNNER_FILE =
  /(?:^|\/)(?:conftest\.py|pytest\.ini|tox\.ini|noxfile\.py|setup\.cfg|\.coveragerc|sitecustomize\.py|usercustomize\.py|(?:vitest|vite|jest|mocha|karma|playwright|cypress|ava|babel|wallaby)(?:\.[a-z-]+)*\.(?:config|workspace|setup|conf)\.[cm]?[jt]sx?|(?:vitest|jest|mocha|karma|playwright|cypress|ava)\.(?:json|[cm]?[jt]s)|\.mocharc(?:\.[a-z]+)?|\.taprc|phpunit\.xml(?:\.dist)?|\.rspec|spec_helper\.rb|rails_helper\.rb)$/iu;
/** Programs that run package scripts. */
const PACKAGE_MANAGER = /\b(?:npm|pnpm|yarn|bun|npx|node --run)\b/;
const MAKE = /\bmake\b/;
const PACKAGE_FILE = /(?:^|\/)package\.json$/u;

/** The paths among `changed` whose texts `findWeakenedValidation` compares. */
export function toDefinitionPaths(changed: readonly string[]): readonly string[] {
  return changed.filter((path) => PACKAGE_FILE.test(path));
}

/**
 * Whether the change redefines what it is validated with: `npm test` or `./check.sh` proves nothing if the change decides what it
 * runs. Returns the path and what was changed in it, or null.
 */
export function findWeakenedValidation(
  plan: ValidationPlan & { readonly kind: 'commands' },
  files: DefinitionFiles,
): { readonly path: string; readonly what: string } | null {
  const { before, after, changed, allowedPaths } = files;
  const runs = (program: RegExp): boolean => plan.commands.some((command) => program.test(command));
  const scripts = toDefinitionPaths(changed).find((path) => haveChanged(before[path], after[path]));
  if (scripts !== undefined && runs(PACKAGE_MANAGER)) {
    return { path: scripts, what: 'its "scripts" say what the validation runs' };
  }
  const makefile = changed.find((path) => MAKE_FILE.test(path));
  if (makefile !== undefined && runs(MAKE)) return { path: makefile, what: 'it says what the validation runs' };
  const runner = changed.find((path) => RUNNER_FILE.test(path) && !isNamedBy(allowedPaths, path));
  if (runner !== undefined) return { path: runner, what: 'the tools that validate load it by themselves' };
  const named = toNamedFiles(plan);
  const program = changed.find((path) => named.has(path));
  return program === undefined ? null : { path: program, what: 'the validation command names it' };
}

/** Words of the commands, as paths below the workspace. Most are not paths and match no changed file. */
function toNamedFiles(plan: ValidationPlan & { readonly kind: 'commands' }): ReadonlySet<string> {
  const words = plan.commands.flatMap((command) => command.split(/[\s;&|()<>"'`=]+/u));
  return new Set(words.map((word) => word.replace(/^(?:\.?\/)*(?:workspace\/)?(?:\.\/)*/u, '')));
}

/** A changed file that cannot be read before and after (too large, not text) counts as changed, as it cannot be compared. */
function haveChanged(before: string | undefined, after: string | undefined): boolean {
  return (before === undefined && after === undefined) || scriptsOf(before) !== scriptsOf(after);
}

function scriptsOf(packageJson: string | undefined): string {
  const scripts = toScripts(packageJson) ?? {};
  return JSON.stringify(Object.entries(scripts).sort(([left], [right]) => (left < right ? -1 : 1)));
}
