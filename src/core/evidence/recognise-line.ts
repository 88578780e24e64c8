import { createWordFinder } from './find-words.ts';
import type { FailureSign } from './log-failure.ts';
import { EXCEPTION_FORMS } from './recognise-exceptions.ts';
import { EXIT_FORMS } from './recognise-exits.ts';
import { recognisePlace } from './recognise-places.ts';
import { recogniseForm } from './recognise-rule.ts';
import { recogniseMark, recogniseTest } from './recognise-tests.ts';

/**
 * A line that names a failure has one of these or of `MARKS`, but for the lines below a path alone. They have no word boundaries, so
 * that they also find words behind colour codes.
 */
const WORDS: readonly string[] = [
  'Err|err|ERR|Fail|fail|FAIL|XPASS|xcept|xpect|annot|ssert|anic|atal|aceback|bort|fault|illed|enied|fused|o such|ot ok|FAULT',
  "imed ?out|ldn't|uld not|ndefin|xit|nable|ot found|nvalid|llegal|nrecogni|nknown|tdout -|Not Run|TIMEOUT|SIG[A-Z]|PANICKED",
  'aused by|ignal|anitizer|hrowable|ultiple def|relude|xceeded|occurred|return code|Dubious',
  String.raw` line \d|file:\d|py [.sxX]*[FE]`,
];
const findWord = createWordFinder(WORDS.flatMap((words) => words.split('|')));
/** As three patterns, because that takes the least time. */
const MARKS: readonly RegExp[] = [
  /\.[A-Za-z]\w*(?::\d| ?\(\d|:?\[\d)|[\u2022\u25CF\u2612\u2715-\u2718\u274C\u2A2F\u00D7\u00BB]/u,
  /\]:\d|\*\*\*|\d\) |\[[XE-]\]|#test_/u,
  /^(?:_{3}|!! |\S{0,20} ?E {2}|e: |==> X|\s*X )/u,
];

/** Words of failure, where no form of a tool fits. */
const MENTION =
  /\b(?:errors?|fail(?:s|ed|ing|ures?)?|fatal|panic(?:ked)?|exceptions?|traceback|assert(?:ion)?(?:error)?|segfault|abort(?:ed|ing)?|killed|cannot|can't|could ?n(?:ot|'t)|unable|denied|refused|not found|no such|undefined|unresolved|invalid|missing|timed out|mismatch|conflicts?|violations?|broken|corrupt(?:ed)?|unexpected|unhandled|illegal|unrecogni[sz]ed|unknown (?:option|switch|argument|flag|command)s?)\b|\w(?:Error|Exception)\b|[✖✗✘×❌]|^not ok\b|^E {2,}\S|\bERR!/iu;

/** Warns, or reports what a tool does. */
const HARMLESS =
  /^\s*(?:\[?(?:warning|warn|info|debug|note|notice|trace)\]?\b|W:|npm (?:WARN|notice|info|http))|\bwarning:|Download(?:ing|ed)|\.\.\. ?ok$|(?:: |\d m?s )OK$|\[ *OK *\]|^\[ RUN +\] \S+$|^\s*(?:✓|✔|√|ok \d)|^ok\s|^\s+at |^(?:Get|Hit|Ign|Fetched|Unpacking|Setting up|Preparing|Selecting|Compiling|Installing|Using|Fetching|remote|gcc|cc|clang|javac)\b|^(?:[cg]|clang)\+\+ |^\s+(?:gcc|g\+\+|cc|clang|c\+\+) -|\/libtool --|^(?:Compilation|Linking): (?:gcc|cc|clang)\b|\bif-no-files-found\b|--fail\b|set -e\b|^\s*(?:#|\/\/|\*)\s|:(?:error|fail)|^\[ *\d+ of \d+\] |^\s*-- (?:Looking for|Performing Test)\b|^checking (?:for|whether|if|how) .*\.\.\.|^\s*(?:include|depends|Dependency) /iu;
/** The level of a logger, or a mark of Jest. In small letters they are words like others. */
const MILD_LABEL = /\b(?:WARN(?:ING)?|DEBUG|INFO|PASS)\b/u;
/** Says that nothing failed, unless it also counts what did: `3 passed, 2 failed`. */
const NONE =
  /\b(?:0|no|zero) (?:errors?|fail(?:ed|ures?|ing)?|warnings?|exceptions?|conflicts?|violations?|problems?|issues?|vulnerabilities)\b|\b(?:fail(?:ed|ures?)?|errors?)["']?[:=] ?0\b|\bpassed\b/iu;
const SOME = /\b[1-9]\d* (?:errors?|fail(?:ed|ures?|ing)?)\b|\b(?:fail(?:ed|ures?)?|errors?)["']?[:=] ?[1-9]/iu;

/** What tools and runners put before a line of another one. The rest keeps its indentation. */
const PREFIX =
  /^(?:##\[(?<runner>error)\]|\[(?<level>ERROR|error|FATAL|fatal)\] ?|\[(?:INFO|info|junit|javac|exec|java|groovyc|scalac|kotlinc|testng|checkstyle|apply|copy)\] ?|\s{2,}\[(?:junit|javac|exec|java|groovyc|scalac|testng|checkstyle|mocha|rspec|phpunit|ant\w*)\] ?|(?<npm>npm (?:ERR!|error) )|(?<xcode>❌ {2})|[\w.-]{1,40} +\| )/u;
const MAX_PREFIXES = 3;

/** The line without what runners and build tools put before it, and whether one of them calls it an error. */
export function stripPrefixes(line: string): {
  readonly text: string;
  readonly isError: boolean;
  readonly isRunner: boolean;
} {
  let text = line;
  let isError = false;
  let isRunner = false;
  for (let count = 0; count < MAX_PREFIXES; count += 1) {
    const match = PREFIX.exec(text);
    if (match === null) break;
    isRunner ||= match.groups?.['runner'] !== undefined;
    isError ||= isRunner || ['level', 'npm', 'xcode'].some((group) => match.groups?.[group] !== undefined);
    text = text.slice(match[0].length);
  }
  return { text, isError, isRunner };
}

/** Whether a line may name a failure. Cheap, for every line of a log. */
export function mayBeFailure(line: string): boolean {
  return findWord(line) !== -1 || MARKS.some((mark) => mark.test(line));
}

/** Where the first such hint is; -1 if there is none. */
export function findHint(line: string): number {
  const found = [findWord(line), ...MARKS.map((mark) => line.search(mark))].filter((at) => at !== -1);
  return found.length === 0 ? -1 : Math.min(...found);
}

/** Whether a line mentions a failure in words, and is not known to be harmless. It must be clean. */
export function isFailureLine(line: string): boolean {
  if (!MENTION.test(line) || HARMLESS.test(line) || MILD_LABEL.test(line)) return false;
  return SOME.test(line) || !NONE.test(line);
}

/** What a clean line says about a failure by itself; null if nothing. Ask `mayBeFailure` first, which costs less. */
export function recogniseLine(line: string): FailureSign | null {
  const { text, isError, isRunner } = stripPrefixes(line);
  // Maven marks empty lines as errors, too.
  if (text.trim() === '') return null;
  const sign =
    recogniseForm(EXIT_FORMS, text) ??
    recogniseTest(text) ??
    recogniseForm(EXCEPTION_FORMS, text) ??
    recognisePlace(text) ??
    recogniseMark(text);
  if (sign !== null) return sign;
  if (isRunner) return toMention(text, 'exit');
  return isError || isFailureLine(line) ? toMention(text, 'mention') : null;
}

function toMention(text: string, kind: FailureSign['kind']): FailureSign {
  return { kind, tool: null, path: null, line: null, column: null, rule: null, testId: null, message: text.trim() };
}
