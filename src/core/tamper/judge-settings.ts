import { isTestPath } from '../judge/test-paths.ts';
import type { TestChangeFact } from '../model/test-change.ts';
import { toShown } from './compare-assertions.ts';
import { findHits, type Hit } from './find-hits.ts';
import { areCovered, judgeCommands, RUNNERS } from './judge-commands.ts';
import { judgeNumbers } from './judge-numbers.ts';
import { type TestChange, toChangedPaths, toMissing } from './test-change.ts';

/** Files that say what runs, and how good it has to be. */
const SETTINGS =
  /(?:^|\/)(?:package\.json|tox\.ini|pytest\.ini|setup\.cfg|pyproject\.toml|noxfile\.py|conftest\.py|\.coveragerc|Makefile|GNUmakefile|justfile|Justfile|Taskfile\.ya?ml|Cargo\.toml|\.cargo\/config\.toml|build\.gradle(?:\.kts)?|pom\.xml|codecov\.ya?ml|\.codecov\.yml|\.nycrc(?:\.json)?|\.c8rc\.json|\.eslintrc(?:\.\w+)?|\.eslintignore|\.mocharc\.\w+|\.golangci\.ya?ml|clippy\.toml|ruff\.toml|mypy\.ini|tsconfig[\w.]*\.json|sonar-project\.properties|Rakefile|\.rspec|\.simplecov|phpunit\.xml(?:\.dist)?|biome\.jsonc?|nextest\.toml|\.taprc|bunfig\.toml|deno\.jsonc?|\.pre-commit-config\.ya?ml|pyrightconfig\.json|\.flake8|\.?pylintrc|\.rubocop\.yml|\.swiftlint\.yml|detekt\.yml|phpstan\.neon(?:\.dist)?|psalm\.xml|stryker[\w.]*\.(?:[cm]?[jt]s|json)|\.oxlintrc\.json|(?:jest|vitest|vite|playwright|cypress|karma|ava|eslint|nyc|wdio)\.[\w.]*(?:[cm]?[jt]s|json))$|\.(?:sh|mk)$|(?:^|\/)\.github\/workflows\/|(?:^|\/)\.(?:gitlab-ci|travis)\.yml$/u;

/** Greater is stricter. */
const FLOORS =
  /(?<name>branches|functions|lines|statements|fail[_-]under|cov-fail-under|minimum_coverage|min_coverage|threshold|minimum|check-coverage|break|mutation[_-]score|target)["']?\s*[:= ]\s*["']?(?<value>\d+(?:\.\d+)?)%?/giu;
/** Smaller is stricter. */
const CEILINGS =
  /(?<name>max-?_?warnings|retries|--retry|reruns|max[_-]complexity|complexity|cognitive-complexity-threshold|max-lines|timeout|testTimeout|test_timeout|slow-timeout|tolerance|epsilon|maxDiffPixels|maxDiffPixelRatio|flake-attempts|cyclop)["']?\s*[:= ,]\s*(?:\[[^,\]]*,\s*)?["']?(?<value>-?\d+(?:\.\d+)?)/giu;

/** Tests that fail make nothing red. */
const SILENCED =
  /\|\|\s*(?:true|:|exit 0|echo\b)|;\s*(?:true|exit 0)\s*["'\n]|;\s*exit 0|continue-on-error:\s*true|allow_failure:\s*true|--passWithNoTests\b|passWithNoTests["']?\s*[:=]\s*true|--exit-zero\b|\bset \+e\b|ignoreFailures\s*=\s*true|testFailureIgnore>\s*true|dangerouslyIgnoreUnhandledErrors["']?\s*:\s*true|ignore_errors\s*=\s*true|--no-fail\b|^\t-(?=[a-z])|--keep-going\b|pytest_sessionfinish|exitstatus\s*=\s*0|--suppress-no-test-exit-code|success_codes\s*=\s*\[[^\]]*[1-9]|--continue-on-collection-errors\b/gmu;
/** tox goes on after such a command. */
const IGNORED = /^[ \t]+-[ \t]*\w+/gmu;
/** Fewer tests or checks run. */
const NARROWED =
  /(?:^|[\s"'])(?:-k[ =]|--deselect\b|--ignore(?:-glob)?[ =]|-m\s*["'\\]*not\b|--lf\b|--testPathPattern\b|--testNamePattern\b|-t\s+["'\\]|--grep\b|--invert\b|--exclude\b|--skip\b|-skip[ =]|-run[ =]|-short\b|--shard\b|--lib\b|--changed\b|--onlyChanged\b|-o\b\s+addopts|-u\b|--update-?[sS]napshots?\b|--snapshot-update\b|--no-verify\b|--maxfail\b|--no-cov\b|--no-coverage\b|-p\s*no:|-DskipTests\b|-x test\b|-D\s+warnings\b)|\b(?:testPathIgnorePatterns|modulePathIgnorePatterns|collect_ignore(?:_glob)?|norecursedirs|exclude(?:_lines|d)?|omit|coveragePathIgnorePatterns|skip_?tests?|testNamePattern|testIgnore|grepInvert|ignore_missing_imports\s*=\s*true|ignore|deselect|filterwarnings|pytest_collection_modifyitems|pytest_ignore_collect|pytest_runtest_makereport|pytest_runtest_call|add_marker|strict["']?\s*[:=]\s*false|noImplicitAny["']?\s*:\s*false|skipLibCheck["']?\s*:\s*true)\b|:\s*["']?(?:off|0)["']?\s*,?$|=\s*["']allow["']/gmu;

/** Asks for more: what is gone asks for less. */
const STRICT =
  /--strict[\w-]*|--forbid-only\b|--check-coverage\b|-W[ \t]*error\b|-Werror\b|-D[ \t]+warnings\b|-race\b|--all-(?:targets|features)\b|\b(?:forbid-?only|check-?coverage|xfail_strict|strict\w*|no(?:Implicit|Unchecked|Unused|Fallthrough|Property)\w+|exactOptional\w+|disallow_\w+|warn_\w+|check_untyped_defs|perFile|failOn\w+|errorOn\w+|fail_on_\w+)["']?\s{0,5}[:=]\s{0,5}(?:true|!!)|["']error["']|[:=]\s{0,5}error\b|["'](?:deny|forbid)["']/giu;

/** Keys of the places where tests, or files to check, are looked for. */
const PLACES =
  /\b(?<name>include|testDir|testMatch|testRegex|spec|specs|specPattern|testpaths|python_files|python_classes|python_functions|roots|source)["']?[ \t]*[:=][ \t]*(?<value>\[[^\]]{0,2000}\]|"[^"\n]*"|'[^'\n]*'|[^\n,#]*(?:\n[ \t]+[\w./*-]+(?=\n|$)){0,50})/gu;
/** In these files other tools have such keys, too. */
const MIXED = /(?:^|\/)(?:package\.json|pyproject\.toml|Cargo\.toml|setup\.cfg)$/u;
const OF_TESTS = /^(?:test|python_)/u;

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
  const dashes = /(?:^|\/)tox\.ini$/u.test(path)
    ? [[IGNORED, 'rejected', 'Tests that fail make nothing red'] as const]
    : [];
  const added = [...rows, ...dashes].flatMap(([pattern, is, what]) =>
    toMissing<Hit>(findHits(now, pattern), findHits(old, pattern), ({ text }) => text.trim()).map(({ text, line }) =>
      fact({ path, line }, 'TEST_COMMAND_WEAKENED', isTest ? 'held' : is, `${what}: "${text.trim()}".`),
    ),
  );
  const runnersBefore = findHits(old, RUNNERS).length;
  const isLost = runnersBefore > 0 && findHits(now, RUNNERS).length === 0;
  return [
    ...added,
    ...(isLost
      ? [fact({ path, line: null }, 'TEST_COMMAND_WEAKENED', 'rejected', 'No command runs tests or checks any more.')]
      : []),
    ...judgeCommands(path, old, now),
    ...judgeStrictness(path, old, now),
    ...judgePlaces(path, old, now),
    ...judgeNumbers(path, { ...{ old, now, pattern: FLOORS, isNeeded: true }, isLooser: (was, is) => is < was }),
    ...judgeNumbers(path, {
      ...{ old, now, pattern: CEILINGS, isNeeded: false },
      isLooser: (was, is) => is > was || (is < 0 && was >= 0),
    }),
  ];
}

function judgeStrictness(path: string, old: string, now: string): readonly TestChangeFact[] {
  const toKey = ({ text }: Hit): string => text.replaceAll(/\s+/gu, '').toLowerCase();
  const lost = toMissing(findHits(old, STRICT), findHits(now, STRICT), toKey);
  return lost.map(({ text }) =>
    fact({ path, line: null }, 'THRESHOLD_LOOSENED', 'held', `What asked for more is gone: ${toShown(text)}.`),
  );
}

/** Places that are looked at no more. A key that is gone leaves it to the tool, which looks everywhere. */
function judgePlaces(path: string, old: string, now: string): readonly TestChangeFact[] {
  const after = findHits(now, PLACES);
  return findHits(old, PLACES).flatMap(({ match }) => {
    const name = String(match.groups?.['name']);
    if (MIXED.test(path) && !OF_TESTS.test(name)) return [];
    const [first, ...others] = after.filter((hit) => hit.match.groups?.['name'] === name);
    if (first === undefined) return [];
    const places = [first, ...others].flatMap((hit) => toPlaces(String(hit.match.groups?.['value'])));
    if (areCovered(toPlaces(String(match.groups?.['value'])), places)) return [];
    const place = { path, line: first.line };
    return [fact(place, 'TEST_COMMAND_WEAKENED', 'held', `Fewer files are looked at: ${toShown(name)}.`)];
  });
}

function toPlaces(value: string): readonly string[] {
  const quoted = [...value.matchAll(/(?<quote>["'])(?<place>[^"'\n]*)\k<quote>/gu)];
  if (quoted.length > 0) return quoted.map(({ groups }) => String(groups?.['place']));
  return value.split(/[\s[\],]+/u).filter((word) => /^[\w.*/-]+$/u.test(word));
}

function fact(
  { path, line }: Pick<TestChangeFact, 'path' | 'line'>,
  code: TestChangeFact['code'],
  is: TestChangeFact['is'],
  message: string,
): TestChangeFact {
  return { code, path, line, message, is };
}
