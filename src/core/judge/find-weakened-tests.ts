import { findRules } from '../findings/suppression-rules.ts';
import type { FilePatch } from '../patch/parse-patch.ts';
import { unquotePath } from '../paths/unquote-path.ts';
import { toCountText } from '../text/words.ts';
import { isTestPath } from './test-paths.ts';

/** A file in which a change weakens tests, and how: a clause for people. */
export interface WeakenedTest {
  readonly path: string;
  readonly how: string;
}

/** Names of suppression rules about tests. */
const SKIPS: ReadonlySet<string> = new Set(['skipped-test', 'skipped-file']);
const FOCUS = 'only';

/** Skips in languages that the suppression rules do not know. */
const OTHER_SKIPS =
  /@(?:Disabled|Ignore)\b|\[(?:Ignore|Fact\(Skip|Theory\(Skip)|->markTest(?:Skipped|Incomplete)\(|\bXCTSkip|^\s*(?:xit|xdescribe|xcontext|xspecify|pending|skip)\b|@(?:tag|moduletag)\s+:?skip|\bGTEST_SKIP\(|\b(?:DISABLED_\w+)/u;

/** Ends the process as if everything had passed. */
const FORCED_EXIT =
  /\bprocess\.(?:exit|reallyExit)\(\s*0?\s*\)|\bprocess\.exitCode\s*=\s*0\b|\b(?:sys\.exit|os\._exit|_exit|SystemExit)\(\s*0?\s*\)|\braise\s+SystemExit\s*$|\b(?:os\.Exit|process::exit|System\.exit|exitProcess|Environment\.Exit|_?exit)\(\s*0\s*\)|^\s*exit!?(?:\s+0)?\s*;?\s*$|[;&|]\s*exit\s+0\b/u;

/** A declaration of a test. */
const TEST =
  /(?:(?<![.\w])|\bt\.)(?:it|test|specify)(?:\.\w{1,20}){0,3}\s*[(`]|^\s*(?:async\s+)?def\s+test\w*\s*\(|^\s*func\s+(?:Test|Benchmark|Fuzz|test)\w*\s*\(|#\[(?:\w+::)*test\b|@(?:Test|ParameterizedTest|RepeatedTest)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b|^\s*(?:public\s+)?function\s+test\w*\s*\(|\bTEST(?:_F|_P|_CASE)?\s*\(/gu;

const ASSERTION =
  /\bexpect(?:\w*|\.\w+)\s*[.(]|\bassert\w*\s*[.!(]|^\s*assert\s|\bassert_\w+!?\s*\(|\.should\b|\b[tb]\.(?:Error|Fatal|Fail)\w*\(|\b(?:require|[Aa]ssert|is|qt)\.[A-Z]\w*\(|\bt\.(?:is|not|ok|notOk|equal|notEqual|deepEqual|same|truthy|falsy|true|false|throws\w*|regex|like|snapshot|pass|fail)\(|\bXCT(?:Assert|Fail)\w*\(|\b(?:EXPECT|ASSERT|CHECK|REQUIRE)(?:_\w+)?\s*\(|\bverify\w*\s*\(|#expect\(|\b(?:must|wont)_\w+\b/gu;

/** True whatever the code does. */
const TRIVIAL_ASSERTION =
  /\bexpect\(\s*(?<value>true|1|!0|null|undefined|['"`]\w*['"`])\s*\)\.(?:toBe|toEqual|toStrictEqual|eql?|to\.(?:be|equal|eql))(?:Truthy\(|\.true\b|\(\s*\k<value>\s*\))|\bassert(?:\.ok|\.isTrue|True|_true)?!?\(\s*(?:true|True|1)\s*[,)]|^\s*assert\s+(?:True|1)\b|\b(?:expect|assert)\w*\b.{0,300}(?:\bor\s+True\b|\|\|\s*true\b)/u;

/**
 * Files in which a change weakens the proof of itself: an existing test gains a skip, or loses assertions or tests; a test
 * switches off the others; or something ends the process with success. A person has to look at such a change. What moves within
 * a file is no loss. Judges lines, so it can be deceived: it shows mistakes and laziness, not malice.
 */
export function findWeakenedTests(
  files: readonly FilePatch[],
  addedPaths: ReadonlySet<string>,
): readonly WeakenedTest[] {
  return files.flatMap((file) => {
    const path = unquotePath(file.path);
    const inAny = findInAny(file, path);
    const inTest = isTestPath(path) && !addedPaths.has(path) ? findInTest(file, path) : [];
    return [...inAny, ...inTest].map((how) => ({ path, how }));
  });
}

function findInAny(file: FilePatch, path: string): readonly string[] {
  const isFocused = findRules(path).some(({ name, pattern }) => name === FOCUS && isMoreIn(file, pattern));
  const isForced = !PROSE.test(path) && isMoreIn(file, FORCED_EXIT);
  return [...(isFocused ? ['runs only some tests'] : []), ...(isForced ? ['ends the process with success'] : [])];
}

function findInTest(file: FilePatch, path: string): readonly string[] {
  const skips = findRules(path).flatMap(({ name, pattern }) => (SKIPS.has(name) ? [pattern] : []));
  const isSkipped = [...skips, OTHER_SKIPS].some((pattern) => isMoreIn(file, pattern));
  const tests = count(file.removed, TEST) - count(file.added, TEST);
  const assertions = countAssertions(file.removed) - countAssertions(file.added);
  return [
    ...(isSkipped ? ['skips a test'] : []),
    ...(tests > 0 ? [`loses ${toCountText(tests, 'test')}`] : []),
    ...(assertions > 0 ? [`loses ${toCountText(assertions, 'assertion')}`] : []),
  ];
}

function isMoreIn({ added, removed }: FilePatch, pattern: RegExp): boolean {
  const countLines = (lines: readonly string[]): number => lines.filter((line) => pattern.test(line)).length;
  return countLines(added) > countLines(removed);
}

function countAssertions(lines: readonly string[]): number {
  return count(
    lines.filter((line) => !TRIVIAL_ASSERTION.test(line)),
    ASSERTION,
  );
}

/** Matches of a global pattern, without comments of whole lines. */
function count(lines: readonly string[], pattern: RegExp): number {
  let matches = 0;
  for (const line of lines) matches += COMMENT.test(line) ? 0 : (line.match(pattern)?.length ?? 0);
  return matches;
}

/** Nobody runs these. */
const PROSE = /\.(?:md|mdx|rst|txt|adoc)$/iu;

/** A comment that fills its line. */
const COMMENT = /^\s*(?:\/\/|#(?!\[|expect)|\/?\*|--\s)/u;
