import { isTestPath } from '../judge/test-paths.ts';
import type { TestChangeFact } from '../model/test-change.ts';
import { type TestChange, toChangedPaths, toMissing } from './test-change.ts';

/** Files that say what runs, and how good it has to be. */
const SETTINGS =
  /(?:^|\/)(?:package\.json|tox\.ini|pytest\.ini|setup\.cfg|pyproject\.toml|noxfile\.py|conftest\.py|\.coveragerc|Makefile|GNUmakefile|justfile|Justfile|Taskfile\.ya?ml|Cargo\.toml|\.cargo\/config\.toml|build\.gradle(?:\.kts)?|pom\.xml|codecov\.ya?ml|\.codecov\.yml|\.nycrc(?:\.json)?|\.c8rc\.json|\.eslintrc(?:\.\w+)?|\.eslintignore|\.mocharc\.\w+|\.golangci\.ya?ml|clippy\.toml|ruff\.toml|mypy\.ini|tsconfig[\w.]*\.json|sonar-project\.properties|Rakefile|\.rspec|\.simplecov|phpunit\.xml(?:\.dist)?|biome\.jsonc?|nextest\.toml|(?:jest|vitest|vite|playwright|cypress|karma|ava|eslint|nyc|wdio)\.[\w.]*(?:[cm]?[jt]s|json))$|\.(?:sh|mk)$|(?:^|\/)\.github\/workflows\/|(?:^|\/)\.(?:gitlab-ci|travis)\.yml$/u;

/** Greater is stricter. */
const FLOORS =
  /(?<name>branches|functions|lines|statements|fail[_-]under|cov-fail-under|minimum_coverage|min_coverage|threshold|minimum|check-coverage|break|mutation[_-]score|target)["']?\s*[:= ]\s*["']?(?<value>\d+(?:\.\d+)?)%?/giu;
/** Smaller is stricter. */
const CEILINGS =
  /(?<name>max-?_?warnings|retries|--retry|reruns|max[_-]complexity|complexity|cognitive-complexity-threshold|max-lines|timeout|testTimeout|test_timeout|slow-timeout|tolerance|epsilon|maxDiffPixels|maxDiffPixelRatio|flake-attempts|cyclop)["']?\s*[:= ,]\s*(?:\[[^,\]]*,\s*)?["']?(?<value>-?\d+(?:\.\d+)?)/giu;

/** Tests that fail make nothing red. */
const SILENCED =
  /\|\|\s*(?:true|:|exit 0|echo\b)|;\s*(?:true|exit 0)\s*["'\n]|;\s*exit 0|continue-on-error:\s*true|allow_failure:\s*true|--passWithNoTests\b|passWithNoTests["']?\s*[:=]\s*true|--exit-zero\b|\bset \+e\b|ignoreFailures\s*=\s*true|testFailureIgnore>\s*true|dangerouslyIgnoreUnhandledErrors["']?\s*:\s*true|ignore_errors\s*=\s*true|--no-fail\b|^\t-(?=[a-z])|--keep-going\b|pytest_sessionfinish|exitstatus\s*=\s*0|--suppress-no-test-exit-code/gmu;
/** Fewer tests or checks run. */
const NARROWED =
  /(?:^|[\s"'])(?:-k[ =]|--deselect\b|--ignore(?:-glob)?[ =]|-m\s*["'\\]*not\b|--lf\b|--testPathPattern\b|--testNamePattern\b|-t\s+["'\\]|--grep\b|--invert\b|--exclude\b|--skip\b|-skip[ =]|-run[ =]|-short\b|--shard\b|--lib\b|--changed\b|--onlyChanged\b|-o\b\s+addopts|-u\b|--update-?[sS]napshots?\b|--snapshot-update\b|--no-verify\b|--maxfail\b|--no-cov\b|--no-coverage\b|-DskipTests\b|-x test\b|-D\s+warnings\b)|\b(?:testPathIgnorePatterns|modulePathIgnorePatterns|collect_ignore(?:_glob)?|norecursedirs|exclude(?:_lines|d)?|omit|coveragePathIgnorePatterns|skip_?tests?|testNamePattern|grepInvert|ignore|deselect|filterwarnings|pytest_collection_modifyitems|pytest_ignore_collect|pytest_runtest_makereport|pytest_runtest_call|add_marker|strict["']?\s*[:=]\s*false|noImplicitAny["']?\s*:\s*false|skipLibCheck["']?\s*:\s*true)\b|:\s*["']?(?:off|0)["']?\s*,?$|=\s*["']allow["']/gmu;

const RUNNERS =
  /\b(?:jest|vitest|mocha|ava|tap|node\s+--test|playwright|cypress|karma|pytest|unittest|tox|nox|nose2|go\s+(?:test|vet)|cargo\s+(?:test|nextest|clippy)|gradlew?|mvn|rspec|phpunit|eslint|tsc|mypy|ruff|biome|bun\s+test|deno\s+test|npm\s+(?:run\s+)?test|make\s+test|ctest|bats|rake|nyc|c8|coverage)\b/giu;

/** What a change does to the commands and limits that tests run with. */
export function judgeSettings(change: TestChange): readonly TestChangeFact[] {
  return toChangedPaths(change)
    .filter((path) => SETTINGS.test(path) && !/(?:^|\/)package-lock\.json$/u.test(path))
    .flatMap((path) => judgeFile(path, change.before.get(path)?.text, change.after.get(path)?.text));
}

function judgeFile(path: string, old: string | undefined, now: string | undefined): readonly TestChangeFact[] {
  if (now === undefined) {
    return [fact({ path, line: null }, 'TEST_COMMAND_WEAKENED', 'held', 'The file says how tests run, and is gone.')];
  }
  if (old === undefined) return judgeLines(path, '', now).filter(({ is }) => is === 'rejected');
  return judgeLines(path, old, now);
}

function judgeLines(path: string, old: string, now: string): readonly TestChangeFact[] {
  const rows: readonly (readonly [RegExp, TestChangeFact['is'], string])[] = [
    [SILENCED, 'rejected', 'Tests that fail make nothing red'],
    [NARROWED, 'held', 'Fewer tests or checks may run'],
  ];
  const isTest = isTestPath(path);
  const added = rows.flatMap(([pattern, is, what]) =>
    toMissing(toHits(now, pattern), toHits(old, pattern), ({ text }) => text.trim()).map(({ text, line }) =>
      fact({ path, line }, 'TEST_COMMAND_WEAKENED', isTest ? 'held' : is, `${what}: "${text.trim()}".`),
    ),
  );
  const runnersBefore = toHits(old, RUNNERS).length;
  const isLost = runnersBefore > 0 && toHits(now, RUNNERS).length === 0;
  return [
    ...added,
    ...(isLost
      ? [fact({ path, line: null }, 'TEST_COMMAND_WEAKENED', 'rejected', 'No command runs tests or checks any more.')]
      : []),
    ...judgeNumbers(path, { old, now, pattern: FLOORS, isLooser: (before, after) => after < before }),
    ...judgeNumbers(path, {
      old,
      now,
      pattern: CEILINGS,
      isLooser: (before, after) => after > before || (after < 0 && before >= 0),
    }),
  ];
}

interface Numbers {
  readonly old: string;
  readonly now: string;
  readonly pattern: RegExp;
  readonly isLooser: (before: number, after: number) => boolean;
}

/** Values of one name are compared in their order. */
function judgeNumbers(path: string, { old, now, pattern, isLooser }: Numbers): readonly TestChangeFact[] {
  const before = toValues(old, pattern);
  const after = toValues(now, pattern);
  return [...before].flatMap(([name, values]) => {
    const found = after.get(name) ?? [];
    const isFloor = pattern === FLOORS;
    if (found.length < values.length && isFloor)
      return [fact({ path, line: null }, 'THRESHOLD_LOOSENED', 'held', `The limit "${name}" is gone.`)];
    return found.flatMap(({ value, line }, index) => {
      const earlier = values[index];
      return earlier !== undefined && isLooser(earlier.value, value)
        ? [
            fact(
              { path, line },
              'THRESHOLD_LOOSENED',
              'held',
              `The limit "${name}" is ${value}, and was ${earlier.value}.`,
            ),
          ]
        : [];
    });
  });
}

function toValues(text: string, pattern: RegExp): ReadonlyMap<string, readonly { value: number; line: number }[]> {
  const values = new Map<string, { value: number; line: number }[]>();
  for (const match of text.matchAll(pattern)) {
    const name = String(match.groups?.['name']).toLowerCase();
    values.set(name, [
      ...(values.get(name) ?? []),
      { value: Number(match.groups?.['value']), line: lineOf(text, match.index) },
    ]);
  }
  return values;
}

function toHits(text: string, pattern: RegExp): readonly { text: string; line: number }[] {
  return [...text.matchAll(pattern)].map((match) => ({ text: match[0], line: lineOf(text, match.index) }));
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function fact(
  { path, line }: Pick<TestChangeFact, 'path' | 'line'>,
  code: TestChangeFact['code'],
  is: TestChangeFact['is'],
  message: string,
): TestChangeFact {
  return { code, path, line, message, is };
}
