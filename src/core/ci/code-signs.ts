import { toMessages } from './find-failure-rule.ts';

/**
 * How test runners, compilers and linters report that the code is what fails. Each sign is tried at the beginning of a line. One of
 * them is enough: a re-run changes nothing about it, whatever else the log says.
 */

/** A test runner names a test that failed, or counts those that did. */
const TESTS: readonly string[] = [
  // vitest, jest, mocha, jasmine, node:test, TAP, bats, deno
  'fail(?:ed)?\\s+\\S+\\.\\w+',
  '● (?!console|deprecation|validation|multiple)\\S.*',
  '[✗✕✘×✖] (?!failed to (?:download|fetch|build)|no solution)\\S',
  '(?:\\S+ › )?\\d+\\) \\S',
  '[1-9]\\d* failing\\b',
  'not ok\\b',
  '# fail [1-9]',
  'test(?: suite)?s:? .*\\b[1-9]\\d* failed',
  'failed tests? [1-9⎯]',
  '⎯+ failed',
  // go, ginkgo
  '--- fail:',
  'fail(?:\\t\\S+\\t|$)',
  '(?:• ?(?:!|failure\\b|panic|\\[(?:failed|panicked)\\])|\\[fail\\]|summarizing [1-9]\\d* failure)',
  // pytest, unittest, nose, tox
  '(?:\\[gw\\d+\\] (?:\\[ *\\d+%\\] )?)?(?:failed|error) \\S+(?:\\.py|::)\\S*',
  '\\S+\\.py(?:::\\S+)? (?:failed|error)\\b',
  'e {3,}\\S',
  '=+ .*\\b[1-9]\\d* (?:failed|errors?)\\b',
  '(?:fail|error): \\S+ \\(\\S+\\)',
  'failed \\(.*(?:failures|errors)=[1-9]',
  // rspec, minitest, test-unit, cucumber
  'rspec \\./',
  '\\d+ examples?, [1-9]\\d* failures?',
  'failure/error:',
  '\\d+ (?:runs|tests), \\d+ assertions, (?:0 failures, [1-9]|[1-9])',
  '\\d+ (?:scenario|step|feature)s? \\(.*\\b[1-9]\\d* failed',
  // surefire, gradle, testng, scalatest, specs2, sbt, clojure
  'failed tests:',
  'tests in error:',
  '\\S.* > \\S.* failed$',
  '\\d+ tests? completed, [1-9]\\d* failed',
  '(?:failed|error): total \\d+, (?:failed|errors?) [1-9]',
  '(?:fail|error) in \\(\\S+\\)',
  'there (?:was|were) (?:test failures|[1-9]\\d* (?:failure|error)s?)',
  '\\[x\\] ',
  'x \\S.* \\[\\d',
  // cargo, nextest
  'test \\S.* \\.\\.\\. failed',
  'test result: failed',
  "thread '.*panicked at",
  '(?:fail|sigabrt|sigsegv) \\[ *[\\d.]+s\\]',
  // phpunit, codeception, behat, pest
  'failures!',
  'errors!',
  'failed asserting\\b',
  'tests: \\d+, assertions: \\d+.*(?:failures|errors): [1-9]',
  // dotnet
  'failed!? +- failed: +[1-9]',
  'failed \\S+.* \\[[<\\d]',
  '(?:total tests: \\d+|\\s*)\\.? *(?:passed: \\d+\\.? *)?failed ?: [1-9]',
  // elixir, erlang, haskell, elm, R, lua, julia, dart
  '\\d+ (?:doctests?, \\d+ )?(?:propert\\w+, \\d+ )?tests?, [1-9]\\d* failures?',
  '\\d+ success(?:es)? / (?:[1-9]|0 failures? / [1-9])',
  'failed: [1-9]\\d*\\.',
  '%%% .*failed',
  'failed [1-9]\\d* (?:of|out of|tests?)',
  'examples: \\d+ .*(?:errors|failures): [1-9]',
  '── (?:failure|error)\\b',
  'error: test failures',
  'test summary:.*\\bfail\\b',
  'some tests failed',
  '[1-9]\\d* of \\d+ (?:test suites|tests|examples) failed',
  'test suite .* fail',
  // gtest, ctest, catch2, boost, qt, automake, prove, xctest, cypress, karma
  '\\[ {2}failed {2}\\]',
  '\\d+% tests passed, [1-9]\\d* tests? failed',
  'test cases: .*\\b[1-9]\\d* failed',
  '\\*\\*\\* [1-9]\\d* failures? (?:is|are) detected',
  'fail!? +: \\S',
  'totals: .*[1-9]\\d* failed',
  '# (?:fail|error): +[1-9]',
  'fail: \\S',
  'result: fail',
  'failed test ',
  'failed \\d+/\\d+ (?:test|subtest)',
  "test (?:case|suite) '.*' failed",
  'executed \\d+ tests?, with [1-9]',
  '[1-9]\\d* failed$',
];

/** The same, anywhere in a line. */
const TESTS_ANYWHERE: readonly string[] = [
  'tests run:.*(?:failures|errors): [1-9]',
  '<<< (?:failure|error)!',
  '\\*\\*\\*(?:failed\\b| failed \\*\\*\\*)',
  '\\b[1-9]\\d* (?:test|example|spec|check|assertion)s? (?:failed|failing)\\b',
  '\\[fail\\]$',
  '\\[e\\]$',
  'executed \\d+ of \\d+.*\\(?[1-9]\\d* failed\\)?',
];

/** A compiler, a type checker or a linter names a place, or an error that only code has. */
const PLACES: readonly string[] = [
  // path:line:column, path(line,column), path:[line,column], path:line: error
  '(?:(?:e|error|failure|w): )?(?:file://)?(?:[a-z]:)?[\\w@.+~/\\\\-]*\\.\\w{1,8}(?::\\d+:\\d+|\\(\\d+[,:]\\d+\\)|:\\[\\d+,\\d+\\])(?!.*(?:\\b(?:warning|note|info)\\b|: get "https?://|unable to load the service index|\\bnu1301\\b))[: ]',
  '(?:[a-z]:)?[\\w@.+~/\\\\-]*\\.(?!yml|yaml|sh|log|txt)\\w{1,8}(?::|\\()\\d+\\)?: *(?:\\[?(?!\\w*warning)\\w+\\]?: )?(?:fatal |syntax )?(?:error|failure|undefined|[a-z]{1,4}\\d{3,4} )',
  'error\\[e\\d+\\]',
  '--> \\S+:\\d+:\\d+',
  '\\d+:\\d+ +(?:error|✖|x)\\s',
  '✖ [1-9]\\d* problems?',
  '[1-9]\\d* problems? \\(|found [1-9]\\d* (?:problem|error|warning|violation|offense|issue|vulnerabilit)',
  'undefined symbols? for',
  'ld: symbol',
  'duplicate symbol\\b',
  '(?:error: )?could not compile `',
  '(?:error: )?aborting due to',
  'compilation (?:failed|error)',
  'execution failed for task .*(?:compile|lint|checkstyle|detekt|ktlint|spotless|pmd|spotbugs|test)',
  'failed to compile\\b',
  '\\[?build failed\\]?$',
  '[1-9]\\d* errors? generated',
  '[1-9]\\d* errors?$',
  '(?:fatal )?error: (?:cannot find (?:macro|type|value|function|module|symbol)|expected |unexpected (?:token|end|indent|character|identifier|keyword|symbol|[\'"`])|use of|no member|unknown type|invalid|undefined|incompatible|mismatched|unused|no such module|package .* does not exist|class .* is public|unclosed|missing|illegal|reached end of file|not a statement|method|variable|incomparable|unreported|non-static|constructor)\\b',
  'you have [1-9]\\d* .{1,40}violation',
  'pmd failure',
  'would reformat\\b',
  '[1-9]\\d* files? would be reformatted',
  'error: .* fail(?:s|ed)? (?:the )?(?:lint|format)',
  '(?:unused|unlisted|unresolved) (?:files|exports|dependencies|imports|types) \\(\\d',
  'fail required test coverage',
  '(?:in|on) \\S+ line \\d+[:,]?$',
  '(?:php )?(?:parse|fatal|syntax) error: .* on line \\d',
];

/** The same, anywhere in a line. */
const PLACES_ANYWHERE: readonly string[] = [
  '\\.\\w{1,8}(?:\\(\\d+(?:,\\d+)*\\)|:\\d+(?::\\d+)?) ?: (?:fatal )?error\\b',
  '\\berror (?:ts|cs|fs|bc|c|lnk|ca|sa|rz|xc|xa)\\d{4}\\b',
  '\\bundefined reference to\\b',
  '\\bcannot find symbol\\b',
  '\\bunresolved reference\\b',
  ': undefined: \\S',
  '\\bnot found: (?:value|type|object)\\b',
  '\\bcompilation failure\\b',
  '\\bcannot find (?:module|name|type|package)\\b',
  '\\bno module named\\b',
  'cannot import name\\b',
  '\\bmodule not found: error\\b',
  '\\b[\\d,]+ offenses? detected',
  '\\b[1-9]\\d* checkstyle (?:violation|error)',
  '\\bcode style issues\\b',
  '\\bformatting differs\\b',
  '\\blines? too long\\b',
  '\\bcoverage\\b.*\\b(?:does not meet|below|less than|fail(?:ed|ure)?|not met|under)\\b',
];

/** An assertion failed, or the code threw what no machine or network throws. */
const EXCEPTIONS: readonly string[] = [
  '(?:[-+] |e +)?(?:expected|received|actual|got|want(?:ed)?)(?: \\S+)? ?:',
  'wanted but not invoked',
  'expecting:?$',
  'which is: ',
  '(?:.*[\\s.])?(?:type(?!error: fetch failed)|reference|syntax|range|name|attribute|import|modulenotfound|key|value|index|indentation|unboundlocal|notimplemented|recursion|zerodivision|noMethod|argument|unicode\\w*|nosuchelement|nullpointer|illegalargument|illegalstate|classcast|indexoutofbounds|nosuchmethod|classnotfound|noclassdeffound|unsupportedoperation|numberformat|stackoverflow|arrayindexoutofbounds|undefined(?:function|method|variable)?|nilclass|load)(?:error|exception)\\b',
  'obsolete snapshot',
  '› [1-9]\\d* snapshots? failed',
];

/** The same, anywhere in a line. */
const EXCEPTIONS_ANYWHERE: readonly string[] = [
  '\\bassert(?:ion)?(?:failed)?(?:error|exception)\\b',
  '\\bassert(?:ion)?s? (?:failed|`)',
  '\\bassertion with\\b',
  '\\bassertion `',
  '\\bexpected\\b.*\\b(?:received|got|but|actual|to (?:be|equal|eq|have|match|contain|throw|include|deep|return|raise))\\b',
  '\\bwant\\b.*\\bgot\\b',
  '\\bgot\\b.*\\bwant(?:ed)?\\b',
  '\\bruntime error:',
  '\\bsegmentation fault\\b',
  '\\b(?:address|thread|memory|undefinedbehavior|leak)sanitizer\\b',
  '\\bundefined (?:local variable|method|function|variable|index|offset)\\b',
  '\\buninitialized constant\\b',
  '\\bdid not raise\\b',
  '\\bis not (?:a function|defined|iterable|assignable)\\b',
  '\\bsnapshots? (?:failed|obsolete|mismatch)',
];

const FAILING_TEST = toSign(TESTS, TESTS_ANYWHERE);
const WRONG_CODE = toSign([...PLACES, ...EXCEPTIONS], [...PLACES_ANYWHERE, ...EXCEPTIONS_ANYWHERE]);

function toSign(beginnings: readonly string[], anywhere: readonly string[]): (line: string) => boolean {
  const begins = new RegExp(`^(?:${beginnings.join('|')})`, 'iu');
  const has = new RegExp(anywhere.join('|'), 'iu');
  return (line) => has.test(line) || toMessages(line).some((message) => begins.test(message));
}

/** Whether a test runner names or counts failing tests. */
export function isFailingTest(line: string): boolean {
  return FAILING_TEST(line);
}

/** Whether a compiler, a linter, an assertion or an exception of the code says that something is wrong, and not only late. */
export function isWrongCode(line: string): boolean {
  return WRONG_CODE(line);
}
