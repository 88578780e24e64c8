import type { AssertionFact, SourceFacts, TestFact, TestState } from '../../core/model/source-facts.ts';
import { groups } from './texts.ts';
import { type AssertionParts, squeeze, toAssertion, toRelation } from './to-assertion.ts';

/** Begins a test in Java, Kotlin, C#, Ruby, PHP, Swift, Elixir, C++ and shell. */
const TEST =
  /^\s*(?:(?:it|test|specify|scenario)\s*\(?\s*["'](?<title>[^"']{1,300})["']|(?:public\s+|private\s+|internal\s+|async\s+|static\s+|override\s+|suspend\s+)*(?:void|fun|func|function|def|Task)\s+(?<name>test\w*|`[^`]+`|\w+)\s*\(|TEST(?:_F|_P|_CASE)?\s*\(\s*(?<case>[^)]*)\)|@test\s+["'](?<shell>[^"']+)["'])/u;
/** On the lines above a method that is a test. */
const MARK =
  /@(?:Test|ParameterizedTest|RepeatedTest)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b|#\[Test\]|@Test\b/u;
const SKIP =
  /@(?:Disabled|Ignore)\b|\[(?:Ignore|Fact\(Skip|Theory\(Skip)|->markTest(?:Skipped|Incomplete)\(|\bXCTSkip|^\s*(?:xit|xdescribe|xcontext|xspecify|pending|skip)\b|@(?:tag|moduletag)\s+:?skip|\bGTEST_SKIP\(|\bDISABLED_\w+|Assumptions?\.assume/u;
const ASSERTION =
  /\bassert\w*\s*[.(!]|^\s*assert\b|\bassert_\w+|\bexpect\s*[({]|\.should\b|\bAssert\.\w+\(|\bXCTAssert\w*\(|\b(?:EXPECT|ASSERT|CHECK|REQUIRE)(?:_\w+)?\s*\(|\bverify\w*\s*\(|\b(?:must|wont)_\w+|\brefute\w*\b|->assert\w+\(|\bshouldBe\b/u;
const COMMENT = /^\s*(?:\/\/|#(?!\[)|\/?\*|--\s)/u;
const WORD = /[A-Za-z_]\w*|"[^"\n]*"|'[^'\n]*'|\d[\d.]*/gu;
const MAX_LENGTH = 512 * 1024;

interface LineTest {
  readonly name: string;
  readonly line: number;
  state: TestState;
  readonly assertions: AssertionFact[];
  readonly words: string[];
}

/** What the lines up to here said. */
interface Lines {
  readonly tests: LineTest[];
  readonly assertions: AssertionFact[];
  readonly words: string[];
  readonly definitions: Set<string>;
  /** The next method is a test. */
  isMarked: boolean;
  /** The next test, or else the one that is open, is skipped. */
  isSkipped: boolean;
}

/** Facts of languages without a parser here, by lines. */
export function readPatterns(text: string): SourceFacts {
  const read: Lines = {
    ...{ tests: [], assertions: [], words: [], definitions: new Set(), isMarked: false, isSkipped: false },
  };
  for (const [index, line] of text.slice(0, MAX_LENGTH).split('\n').entries())
    if (!COMMENT.test(line)) readLine(line, index + 1, read);
  const { tests, assertions, words, definitions } = read;
  return {
    isReadable: text.length <= MAX_LENGTH,
    tests: tests.map(toFact),
    ...{ assertions, events: [], choices: [] },
    ...{ helpers: [...definitions], definitions: [...definitions], imports: [], words },
  };
}

function readLine(line: string, at: number, read: Lines): void {
  const words = (line.slice(0, 2000).match(WORD) ?? []).map((word) => word.replaceAll(/^["']|["']$/gu, ''));
  read.words.push(...words);
  read.isMarked ||= MARK.test(line);
  read.isSkipped ||= SKIP.test(line);
  const name = toTestName(line, read);
  if (name === null) readBody(line, at, words, read);
  else {
    read.tests.push({ name, line: at, state: read.isSkipped ? 'skipped' : 'run', assertions: [], words });
    read.isMarked = false;
    read.isSkipped = false;
  }
}

/** The name of the test that begins on the line, or null. Methods are tests by a mark or by their name. */
function toTestName(line: string, { definitions, isMarked }: Lines): string | null {
  const { title, name, case: group, shell } = groups(TEST, line.slice(0, 1000)) ?? {};
  if (name === undefined) return title ?? group ?? shell ?? null;
  definitions.add(name);
  return isMarked || /^test/u.test(name) ? name : null;
}

function readBody(line: string, at: number, words: readonly string[], read: Lines): void {
  const current = read.tests.at(-1);
  if (read.isSkipped && current !== undefined && !/^\s*(?:@|\[)/u.test(line)) {
    current.state = 'skipped';
    read.isSkipped = false;
  }
  current?.words.push(...words);
  if (ASSERTION.test(line.slice(0, 2000))) (current ?? read).assertions.push(toLineAssertion(line, at));
}

function toFact({ name, line, state, assertions, words }: LineTest): TestFact {
  return {
    ...{ isEmpty: words.length <= 6 && assertions.length === 0, assertions, cases: 1 },
    ...{ timeouts: [], calls: [], words, name, line, state },
  };
}

const CALL = /\b(?:assert|Assert\.|XCTAssert|EXPECT_|ASSERT_|refute)_?(?<method>\w*)!?\s*\(?(?<all>.*?)\)?;?$/u;
const CHAIN =
  /\b(?:expect|assertThat)\s*\((?<subject>.*?)\)\s*\.(?:to\s+|to_|not_to\s+|should\s+)?(?<matcher>[\w ]+?)[ (](?<expected>[^()]*)\)?;?$/u;
const NONE: ReadonlySet<string> = new Set();

function toLineAssertion(line: string, at: number): AssertionFact {
  const text = line.trim().slice(0, 1000);
  const parts = toCallParts(text) ?? toChainParts(text) ?? { relation: 'helper', subject: squeeze(text) };
  return toAssertion(parts, at, NONE);
}

/** `assertEquals(1, f())`. */
function toCallParts(text: string): AssertionParts | null {
  const call = groups(CALL, text);
  if (call === null) return null;
  const { method = '', all = '' } = call;
  const [first = '', second] = all.split(/,\s*(?![^(]*\))/u);
  if (/^(?:equals?|eq|same|areequal)$/iu.test(method.replaceAll('_', '')) && second !== undefined)
    return { relation: 'equal', subject: second, expected: first };
  if (!/^(?:true|false|_true|_false)?$/iu.test(method)) return null;
  const isFalse = /false/iu.test(method) || /\brefute/u.test(text);
  return { relation: isFalse ? 'falsy' : 'truthy', subject: first };
}

/** `expect(f()).to eq(1)`. */
function toChainParts(text: string): AssertionParts | null {
  const chain = groups(CHAIN, text);
  if (chain === null) return null;
  const { subject = '', matcher = '', expected = '' } = chain;
  return {
    ...{ relation: toRelation(matcher.trim().split(' ').at(-1) ?? ''), isNegated: /not/u.test(matcher) },
    ...{ subject, expected },
  };
}
