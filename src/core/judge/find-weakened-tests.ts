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

/** Compares an expression with itself. */
const SAME_ON_BOTH_SIDES =
  /\bexpect\(\s{0,9}(?<actual>\S.{0,200}?)\s{0,9}\)\.(?:to(?:Be|Equal|StrictEqual)|eql?|to\.(?:be|equal|eql)|to[ _]eq)\(\s{0,9}\k<actual>\s{0,9}[,)]|\bassert\w*(?:\.\w+)?!?\(\s{0,9}(?:t\s{0,9},\s{0,9})?(?<left>\S.{0,200}?)\s{0,9},\s{0,9}\k<left>\s{0,9}[,)]|^\s*assert\s+(?<side>\S.{0,200}?)\s{0,9}==\s{0,9}\k<side>\s{0,9}(?:,|$)/u;

/** Leaves a function without a value. */
const RETURN = /^\s*return(?:\s+None)?\s*;?\s*$/u;

/** May follow a `return` in its block: the end of the block, another branch, a label, a hoisted function, an empty generator. */
const RUNS_ANYWAY =
  /^\s*(?:[)\]}]|(?:case|default|else|elif|elsif|elseif|except|catch|finally|rescue|ensure|when|end|(?:async\s+)?function|yield)\b|\w+:\s*$)/u;

/**
 * Files in which a change weakens the proof of itself: an existing test gains a skip or an early end, or loses assertions or
 * tests; a test switches off the others; or something ends the process with success. A person has to look at such a change. What
 * moves within a file is no loss. Judges lines, so it can be deceived: it shows mistakes and laziness, not malice.
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
    ...(returnsEarly(file) ? ['returns before the end of a test'] : []),
    ...(tests > 0 ? [`loses ${toCountText(tests, 'test')}`] : []),
    ...(assertions > 0 ? [`loses ${toCountText(assertions, 'assertion')}`] : []),
  ];
}

function isMoreIn({ added, removed }: FilePatch, pattern: RegExp): boolean {
  const countLines = (lines: readonly string[]): number => lines.filter((line) => pattern.test(line)).length;
  return countLines(added) > countLines(removed);
}

/** Whether the change adds a `return` above code of the same block, which nothing runs any more. */
function returnsEarly(file: FilePatch): boolean {
  const lines = new Map([...toNumbered(file.context, file.contextAt), ...toNumbered(file.added, file.addedAt)]);
  const early = file.addedAt.filter((at) => {
    const line = lines.get(at);
    if (line === undefined || !RETURN.test(line)) return false;
    const next = findCode(lines, at + 1);
    return next !== null && toIndent(next) === toIndent(line) && !RUNS_ANYWAY.test(next);
  });
  return early.length > file.removed.filter((line) => RETURN.test(line)).length;
}

function toNumbered(
  lines: readonly string[],
  numbers: readonly number[],
): readonly (readonly [number, string | undefined])[] {
  return numbers.map((number, index) => [number, lines[index]]);
}

/** The first line from `at` on that is neither empty nor a comment; null: the hunk ends before it. */
function findCode(lines: ReadonlyMap<number, string | undefined>, at: number): string | null {
  for (let number = at; ; number += 1) {
    const line = lines.get(number);
    if (line === undefined) return null;
    if (line.trim() !== '' && !COMMENT.test(line)) return line;
  }
}

function toIndent(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

function countAssertions(lines: readonly string[]): number {
  return count(
    lines.filter((line) => !TRIVIAL_ASSERTION.test(line) && !SAME_ON_BOTH_SIDES.test(line)),
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
