import type { AssertionFact, SourceFacts, TestFact } from '../../core/model/source-facts.ts';
import { squeeze, toAssertion, toRelation } from './to-assertion.ts';

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

/** Facts of languages without a parser here, by lines. */
export function readPatterns(text: string): SourceFacts {
  const tests: { fact: TestFact; assertions: AssertionFact[]; words: string[] }[] = [];
  const assertions: AssertionFact[] = [];
  const words: string[] = [];
  const definitions = new Set<string>();
  let isMarked = false;
  let isSkipped = false;
  const lines = text.slice(0, MAX_LENGTH).split('\n');
  for (const [index, line] of lines.entries()) {
    if (COMMENT.test(line)) continue;
    const here = (line.slice(0, 2000).match(WORD) ?? []).map((word) => word.replaceAll(/^["']|["']$/gu, ''));
    words.push(...here);
    if (MARK.test(line)) isMarked = true;
    if (SKIP.test(line)) isSkipped = true;
    const match = TEST.exec(line.slice(0, 1000));
    const { title, name, case: group, shell } = match?.groups ?? {};
    const isTest =
      title !== undefined ||
      group !== undefined ||
      shell !== undefined ||
      (name !== undefined && (isMarked || /^test/u.test(name)));
    if (name !== undefined) definitions.add(name);
    const current = tests.at(-1);
    if (isTest) {
      tests.push({
        fact: {
          ...EMPTY_TEST,
          name: title ?? name ?? group ?? shell ?? '',
          line: index + 1,
          state: isSkipped ? 'skipped' : 'run',
        },
        assertions: [],
        words: here,
      });
      isMarked = false;
      isSkipped = false;
      continue;
    }
    if (isSkipped && current !== undefined && !/^\s*(?:@|\[)/u.test(line)) {
      current.fact = { ...current.fact, state: 'skipped' };
      isSkipped = false;
    }
    current?.words.push(...here);
    if (ASSERTION.test(line.slice(0, 2000))) (current?.assertions ?? assertions).push(toLineAssertion(line, index + 1));
  }
  return {
    isReadable: text.length <= MAX_LENGTH,
    tests: tests.map(({ fact, assertions: own, words: said }) => ({
      ...fact,
      assertions: own,
      words: said,
      isEmpty: said.length <= 6 && own.length === 0,
    })),
    ...{
      assertions,
      events: [],
      choices: [],
      helpers: [...definitions],
      definitions: [...definitions],
      imports: [],
      words,
    },
  };
}

const EMPTY_TEST: Omit<TestFact, 'name' | 'line' | 'state'> = {
  isEmpty: false,
  assertions: [],
  cases: 1,
  timeouts: [],
  calls: [],
  words: [],
};

function toLineAssertion(line: string, at: number): AssertionFact {
  const text = line.trim().slice(0, 1000);
  const call = /\b(?:assert|Assert\.|XCTAssert|EXPECT_|ASSERT_|refute)_?(?<method>\w*)!?\s*\(?(?<all>.*?)\)?;?$/u.exec(
    text,
  );
  const method = call?.groups?.['method'] ?? '';
  const parts = (call?.groups?.['all'] ?? '').split(/,\s*(?![^(]*\))/u);
  if (call !== null && /^(?:equals?|eq|same|areequal)$/iu.test(method.replaceAll('_', '')) && parts.length >= 2) {
    return toAssertion({ relation: 'equal', subject: parts[1] ?? '', expected: parts[0] ?? '', line: at });
  }
  if (call !== null && /^(?:true|false|_true|_false)?$/iu.test(method)) {
    return toAssertion({
      relation: /false/iu.test(method) || /\brefute/u.test(text) ? 'falsy' : 'truthy',
      subject: parts[0] ?? '',
      line: at,
    });
  }
  const chain =
    /\b(?:expect|assertThat)\s*\((?<subject>.*?)\)\s*\.(?:to\s+|to_|not_to\s+|should\s+)?(?<matcher>[\w ]+?)[ (](?<expected>[^()]*)\)?;?$/u.exec(
      text,
    );
  if (chain?.groups !== undefined) {
    const { subject = '', matcher = '', expected = '' } = chain.groups;
    return toAssertion({
      relation: toRelation(matcher.trim().split(' ').at(-1) ?? ''),
      isNegated: /not/u.test(matcher),
      subject,
      expected,
      line: at,
    });
  }
  return toAssertion({ relation: 'helper', subject: squeeze(text), line: at });
}
