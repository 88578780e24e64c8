import type { FailureSign } from './log-failure.ts';
import { type LineForm, type NeedAndPattern, recogniseForm, toForms } from './recognise-rule.ts';

/** How test runners name a failed test. The more particular form stands first. */
export const TEST_FORMS: readonly LineForm[] = [
  ...forms('junit', [
    [
      '<<< ',
      /^\s*(?<test>[\w$.]+(?:\[[^\]]*\])?(?:\([\w$.[\], -]+\))?)(?: {2}| -- )Time elapsed: [\d.,]+ m?s(?:ec)?\s+<<< (?:FAILURE|ERROR)!/u,
    ],
    ['<<< ', /^\s*Tests run: \d+, .{0,120}<<< (?:FAILURE|ERROR)!(?: --? in (?<test>[\w.$]+))?/u],
    [
      ':',
      /^(?: {2,}|\t)(?<test>(?:[\w$]+(?:>|->))*[A-Z][\w$]*\.\w+(?:\[[^\]]*\])?):(?<line>\d+)(?:->[\w$.:<>-]+)? (?<message>.+)/u,
    ],
    [
      '',
      /^(?: {2,}|\t)(?<test>(?:[\w$]+(?:>|->))*[A-Z][\w$]*\.\w+(?:->[\w$.:<>-]+)?) (?<message>(?:»|expected|Unexpected).+)/u,
    ],
    [
      '): ',
      /^(?:\s*|Failed tests:\s*|Tests in error:\s*)(?<test>\w+(?:\[[^\]]*\])?\((?:[a-z_]\w*\.)+[A-Z][\w$]*\)): (?<message>.*)/u,
    ],
    [' FAILED', /^\s*(?:TEST|Test) (?<test>[\w.$]+) FAILED/u],
    ['Testcase: ', /^\s*Testcase: (?<test>.+) took [\d.]+ sec(?:\s+FAILED|\s+Caused an ERROR)/u],
    [' [X] ', /^[\s├└─│|'`+-]*(?<test>\w.{0,200}) \[X\] (?<message>.+)/u],
  ]),
  ...forms('gradle', [[' FAILED', /^\s*(?<test>\S.{0,300} > \S.{0,300}) FAILED$/u]]),
  ...forms('testng', [['FAILED: ', /^FAILED: (?<test>\w+)(?:\(.*)?$/u]]),
  ...forms('pytest', [
    ['', /^(?:FAILED|ERROR) (?<path>[^\s:]+\.\w+)(?:::(?<test>[^\s[]+(?:\[.*?\])?))?(?: - (?<message>.*))?$/u],
    ['::', /^(?:\[gw\d+\] )?(?:\[ *\d+%\] )?(?:FAILED|ERROR) (?<path>[^\s:]+\.\w+)::(?<test>\S.*)/u],
    ['::', /^(?<path>[^\s:]+\.\w+)::(?<test>\S.{0,200}?) (?:FAILED|ERROR)\b/u],
    ['___ ', /^_{3,} (?<test>\S.{0,300}) _{3,}$/u],
    ['.py ', /^(?<path>[^\s:]+\.py) [.sxX]*[FE][.sxXFE]*(?: +\[ *\d+%\])?$/u],
  ]),
  ...forms('go', [['FAIL: ', /^FAIL: (?<path>\w+\.go):(?<line>\d+): (?<test>\S+)/u]]),
  ...forms('unittest', [
    [': ', /^(?:FAIL|ERROR): (?<test>\w+ \([\w.]+\).*|[\w.:]*[Tt]est.*)/u],
    [' ... ', /^(?<test>\w+ \([\w.]+\)) \.\.\. (?:FAIL|ERROR)$/u],
  ]),
  ...forms('go', [
    ['--- FAIL', /^\s*--- FAIL: (?<test>\S+)/u],
    ['FAIL', /^FAIL\s+(?<test>\S+)\s+(?<message>[\d.]+s|\[(?:build|setup) failed\]|\(cached\).*)$/u],
    ['] ', /^\s*\[(?:Fail|FAIL|Panic!|PANICKED!)\] (?<test>\S.*)/u],
    ['•', /^• ?(?:Failure|\[FAILED\]|Panic)/u],
  ]),
  ...forms('cargo', [
    ['... FAILED', /^\s*test (?<test>\S.{0,200}) \.\.\. FAILED\b/u],
    [' stdout ----', /^---- (?<test>\S.{0,200}) stdout ----/u],
    ['s] ', /^\s+(?:FAIL|SIGABRT|SIGSEGV|TIMEOUT) \[ *[\d.]+s\] (?:\(.{0,20}\) )?(?<test>\S.*)/u],
  ]),
  ...forms('jest', [
    ['●', /^\s*● (?!Console$|Validation|Deprecation)(?<test>\S.*)/u],
    [
      'FAIL',
      /^\s*FAIL {1,2}(?:\S{1,40} )?(?<path>[\w@./\\-]+\.(?:[cm]?[jt]sx?|vue|svelte))(?: > (?<test>.+))?(?: \(.*\))?$/u,
    ],
  ]),
  ...forms('ctest', [
    ['***', /^\s*\d+\/\d+ Test +#\d+: (?<test>\S+) [ .]*\*\*\*\s*(?<message>\w.*)/u],
    [
      ' - ',
      /^\s*\d+ - (?<test>\S+) \((?<message>Failed|SEGFAULT|Timeout|Not Run|OTHER_FAULT|Subprocess aborted|ILLEGAL|INTERRUPT|NUMERICAL|BAD_COMMAND)\)/u,
    ],
  ]),
  ...forms('gtest', [
    ['FAILED', /^\s*\[ {2}FAILED {2}\] (?<test>[\w/.]+\.[\w/.]+)/u],
    [': Failure', /^(?<path>[^\s:]+):(?<line>\d+): Failure$/u],
  ]),
  ...forms('catch2', [[': FAILED:', /^(?<path>[^\s:]+):(?<line>\d+): FAILED:/u]]),
  ...forms('automake', [[': ', /^(?:FAIL|XPASS): (?<test>\S+)(?: - .*| \d+ - .*| \(exit.*)?$/u]]),
  ...forms('exunit', [[') ', /^\s+\d+\) (?<test>(?:test|property|doctest) .+ \([\w.]+\))$/u]]),
  ...forms('phpunit', [['::', /^\d+\) (?<test>[\w\\]+::\w.*)/u]]),
  ...forms('nunit', [[' : ', /^\d+\) (?:Failed|Error|Test Failure|Test Error) : (?<test>.+)/u]]),
  ...forms('dotnet', [
    ['[FAIL]', /^\s*(?:\[xUnit\.net [\d:.]+\] +)?(?<test>[\w.+`]+(?:\(.*\))?) \[FAIL\]/u],
    ['.', /^\s*(?:Failed|X) {1,3}(?<test>[\w+`]+\.[\w.+`]+(?:\(.*\))?)(?: \[.*\])?$/u],
  ]),
  ...forms('rspec', [
    ['rspec ', /^\s*rspec '?(?<path>[^\s:[']+\.rb)(?::(?<line>\d+)|\[[\d:]+\]')(?: # (?<test>.+))?/u],
    ['(FAILED', /^\s*(?<test>\S.{0,300}) \(FAILED - \d+\)$/u],
    ['cucumber ', /^\s*cucumber (?<path>\S+\.feature):(?<line>\d+)(?: # (?<test>.+))?/u],
  ]),
  ...forms('minitest', [
    ['#test_', /^\s*(?<test>[\w:]+#test_[\w:].{0,200}?) +\[(?<path>[^\s:\]]+):(?<line>\d+)\]:?/u],
    ['#test_', /^\s*(?<test>[\w:]+#test_[\w:].{0,200}?):?$/u],
    ['["', /^\s*(?:FAIL|ERROR)\["(?<test>[^"]+)"/u],
    ['s)', /^\s*(?:FAIL|ERROR) (?<test>[\w:]+#test_.+|test_.+) \([\d.]+s\)/u],
    ['test_', /^\s*(?<test>test_\w+\([\w:]+\)) \[(?<path>[^\s:\]]+):(?<line>\d+)\]:/u],
    [': test', /^\s*(?:Failure|Error): (?<test>test[\w: ]+\([\w:]+\))/u],
    ['rails test', /^(?:bin\/)?rails test (?<path>\S+):(?<line>\d+)/u],
  ]),
  ...forms('hspec', [
    [' FAILED [', /^\s*(?<test>\S.{0,200}) FAILED \[\d+\]$/u],
    [':  ', /^\s*(?<test>\S.{0,200}): {2,}FAIL(?:ED)?(?: \([\d.]+s\))?$/u],
  ]),
  ...forms('scalatest', [
    ['*** FAILED ***', /^\s*(?:- )?(?<test>\S.{0,300}) \*\*\* FAILED \*\*\*/u],
    ['==> X ', /^==> X (?<test>\S+)/u],
    ['\t', /^\t(?<test>(?:[a-z]\w*\.)+[A-Z]\w*(?:Spec|Test|Suite|Tests|Specs))$/u],
  ]),
  ...forms('partest', [['!! ', /^!! +\d+ - (?<test>\S+) +\[(?<message>.+)\]$/u]]),
  ...forms('phpt', [['.phpt]', /^FAIL (?<test>\S.{0,300}) \[(?<path>\S+\.phpt)\]/u]]),
  ...forms('tap', [['not ok', /^\s*not ok\b(?!.*# (?:TODO|SKIP))(?: \d+)?(?: -)? ?(?<test>.*)/iu]]),
  ...forms('prove', [
    ['Failed ', /^\s*#\s+Failed (?:\(.{0,20}\) )?test (?<test>'.*'|\d+)?/u],
    ['.t ', /^(?<path>\S+\.t) \.+ (?:\d+\/\d+ )?(?<message>(?:Dubious|Failed).*)/u],
  ]),
  ...forms('clojure', [
    [' in (', /^(?:FAIL|ERROR) in \((?<test>[\w.*+!?<>=/-]+)\) ?(?:\((?<path>[^\s:()]+):(?<line>\d+)\))?/u],
  ]),
  ...forms('julia', [
    [' at ', /^(?<test>.{0,100}): (?:Test Failed|Error During Test) at (?<path>\S+):(?<line>\d+)/u],
    ['Test', /^(?:Test Failed|Error During Test)(?: at (?<path>\S+):(?<line>\d+))?/u],
  ]),
  ...forms('busted', [[' @ ', /^(?:Failure|Error) (?:→|->) (?<path>\S+) @ (?<line>\d+)/u]]),
  ...forms('testthat', [
    [
      '',
      /^(?:──|--|══) (?:\d+\. )?(?:Failure|Error)[: ]+(?:\((?<path>[^\s:)]+):(?<line>\d+)(?::\d+)?\))?:? ?(?<test>.*)/u,
    ],
  ]),
  ...forms('common_test', [
    [' failed on line ', /^(?<test>\w+:\w+) failed on line (?<line>\d+)/u],
    ['_SUITE:', /^(?<test>\w+_SUITE:\w+) failed$/u],
    ['*** FAILED test', /^(?<test>.{0,200}\*\*\* FAILED test case \d.*)/u],
  ]),
  ...forms('pester', [['[-] ', /^\s*\[-\] (?<test>\S.*?)(?: [\d.]+m?s(?: \(.*\))?)?$/u]]),
  ...forms('dart', [['[E]', /^[\d:]+ \+\d+(?: ~\d+)? -\d+: (?<test>.+) \[E\]$/u]]),
  ...forms('xctest', [["' failed (", /^Test Case '(?<test>[^']+)' failed \(/u]]),
  ...forms('crystal', [['crystal spec ', /^crystal spec (?<path>\S+):(?<line>\d+)(?: # (?<test>.+))?/u]]),
  ...forms('karma', [
    [' FAILED', /^\s*\S.{0,60}\((?:Linux|Windows|Mac|Ubuntu|X11)[^)]*\)(?: LOG)? (?<test>\S.*) FAILED$/u],
  ]),
  ...forms('bazel', [
    [': //', /^(?:FAIL|TIMEOUT): (?<test>\/\/\S+)/u],
    [' in ', /^(?<test>\/\/\S+)\s+(?:FAILED|TIMEOUT) in /u],
  ]),
];

/** Marks and numbers that many runners use. They come last, because other lines have them too. */
export const MARKED_FORMS: readonly LineForm[] = forms(null, [
  [') ', /^\s{1,6}\d+\) (?<test>\S.*?):?$/u],
  ['× ', /^\s*× (?<test>\S.*?) {1,2}\d+(?:\.\d+)?m?s$/u],
  ['', /^\s*[✕✗×✖✘❌☒⨯] (?!\d+ problems?|failing tests:$)(?<test>\S.*)/u],
  ['FAIL', /^\s*(?:FAILED|FAILURE|FAIL)[:!]?\s+(?<test>\S.*)/u],
  ['', /^(?<test>\S.{0,200}?)(?:\.{2,} ?|: | - | {2,})(?:FAIL|FAILED|ERROR)$/u],
  [' FAILED', /^\s*(?<test>\S.{0,200}) FAILED$/u],
]);

/** The sign of a line by which a test runner names a failed test; null if it is no such line. */
export function recogniseTest(text: string): FailureSign | null {
  return recogniseForm(TEST_FORMS, text);
}

/** The same by marks and numbers that other lines have too. */
export function recogniseMark(text: string): FailureSign | null {
  return recogniseForm(MARKED_FORMS, text);
}

function forms(tool: string | null, patterns: readonly NeedAndPattern[]): readonly LineForm[] {
  return toForms('test', tool, patterns);
}
