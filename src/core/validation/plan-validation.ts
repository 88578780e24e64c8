import { isJsonObject, type JsonObject, parseJsonObject } from '../json/parse-json-object.ts';
import type { Policy } from '../model/policy.ts';

/** The commands that must pass before a push, and where they come from. */
export type ValidationPlan =
  | { readonly kind: 'commands'; readonly commands: readonly string[]; readonly source: 'policy' | 'detected' }
  /** There is nothing to validate with, so nothing may be pushed. */
  | { readonly kind: 'none' };

/** Files of the head that reveal the test command. Read before planning; missing ones are left out. */
export const VALIDATION_FILES: readonly string[] = [
  'package.json',
  'Makefile',
  'pyproject.toml',
  'setup.cfg',
  'tox.ini',
  'pytest.ini',
];

/** Longer definitions of a validation are not read, in these files or in others. */
export const MAX_DEFINITION_BYTES = 256 * 1024;

/** npm writes this script into every new package. It tests nothing and always fails. */
const NPM_PLACEHOLDER = 'no test specified';

/**
 * The policy's commands, else the test command that the head's own files name (npm, pnpm, yarn, pytest, make), else `none`.
 * `tracked` holds the paths of the head, `contents` the texts of `VALIDATION_FILES`.
 */
export function planValidation(
  policy: Pick<Policy, 'validate'>,
  tracked: readonly string[],
  contents: Readonly<Record<string, string>>,
): ValidationPlan {
  if (policy.validate !== null) {
    return policy.validate.length > 0
      ? { kind: 'commands', commands: policy.validate, source: 'policy' }
      : { kind: 'none' };
  }
  const command = detectNodeTest(tracked, contents) ?? detectPytest(tracked, contents) ?? detectMakeTest(contents);
  return command === null ? { kind: 'none' } : { kind: 'commands', commands: [command], source: 'detected' };
}

function detectNodeTest(tracked: readonly string[], contents: Readonly<Record<string, string>>): string | null {
  const script = toTestScript(contents['package.json']);
  if (script === null || script.includes(NPM_PLACEHOLDER)) return null;
  if (tracked.includes('pnpm-lock.yaml')) return 'pnpm test';
  if (tracked.includes('yarn.lock')) return 'yarn test';
  return 'npm test';
}

function detectPytest(tracked: readonly string[], contents: Readonly<Record<string, string>>): string | null {
  const configured =
    contents['pytest.ini'] !== undefined ||
    /^\[tool\.pytest/m.test(contents['pyproject.toml'] ?? '') ||
    /^\[tool:pytest\]/m.test(contents['setup.cfg'] ?? '') ||
    /^\[pytest\]/m.test(contents['tox.ini'] ?? '');
  const hasTests = tracked.some((path) => /(?:^|\/)(?:test_[^/]+|[^/]+_test)\.py$/.test(path));
  return configured || hasTests ? 'python3 -m pytest' : null;
}

function detectMakeTest(contents: Readonly<Record<string, string>>): string | null {
  return /^test\s*:(?!=)/m.test(contents['Makefile'] ?? '') ? 'make test' : null;
}

/** The text of `scripts.test`; null if there is none, or if the file is not JSON. */
function toTestScript(packageJson: string | undefined): string | null {
  const scripts = toScripts(packageJson);
  const test = scripts?.['test'];
  return typeof test === 'string' && test.trim() !== '' ? test : null;
}

/** `scripts` of a package.json; null if there are none, or if the text cannot be parsed. */
export function toScripts(packageJson: string | undefined): JsonObject | null {
  const scripts = parseJsonObject(packageJson ?? '')?.['scripts'];
  return isJsonObject(scripts) ? scripts : null;
}
