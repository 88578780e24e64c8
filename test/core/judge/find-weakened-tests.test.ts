import { describe, expect, it } from 'vitest';
import { judgeChange } from '../../../src/core/judge/judge-change.ts';
import { aChange, CHANGES_POLICY } from '../../support/builders.ts';

function patchOf(path: string, lines: readonly string[]): string {
  const oldCount = lines.filter((line) => !line.startsWith('+')).length;
  const newCount = lines.filter((line) => !line.startsWith('-')).length;
  const header = `diff --git a/${path} b/${path}\nindex 1..2 100644\n--- a/${path}\n+++ b/${path}`;
  return `${header}\n@@ -1,${String(oldCount)} +1,${String(newCount)} @@\n${lines.join('\n')}\n`;
}

/** What the gate says of one changed file. */
function judge(path: string, lines: readonly string[], kind: 'modified' | 'added' = 'modified'): readonly string[] {
  const change = aChange({ kind, path, ...(kind === 'added' ? { oldMode: '000000' } : {}) });
  const violations = judgeChange({ changes: [change], patch: patchOf(path, lines), policy: CHANGES_POLICY });
  return violations.map(({ code, message }) => `${code}: ${message}`);
}

const weakened = (path: string, how: string): string => `TESTS_WEAKENED: "${path}" ${how}.`;

describe('a change that weakens tests', () => {
  it.each([
    ['test/a.test.js', "+it.skip('adds', () => {", "-it('adds', () => {"],
    ['test/a.test.js', "+test.todo('adds');"],
    ['test/a.test.js', "+xit('adds', () => {", "-it('adds', () => {"],
    ['tests/test_a.py', '+@pytest.mark.skip(reason="flaky")'],
    ['tests/test_a.py', '+    @unittest.skipIf(True, "later")'],
    ['tests/test_a.py', '+    pytest.skip("later")'],
    ['a_test.go', '+\tt.Skip("later")'],
    ['tests/a.rs', '+#[ignore]'],
    ['src/test/java/ATest.java', '+  @Disabled("later")'],
    ['src/test/kotlin/ATest.kt', '+  @Ignore'],
    ['spec/a_spec.rb', "+  xit 'adds' do", "-  it 'adds' do"],
    ['tests/ATest.php', "+    $this->markTestSkipped('later');"],
    ['Tests/ATests.cs', '+    [Fact(Skip = "later")]', '-    [Fact]'],
    ['Tests/ATests.swift', '+    throw XCTSkip("later")'],
    ['test/a_test.exs', '+  @tag :skip'],
    ['test/a_test.cc', '+  GTEST_SKIP() << "later";'],
  ])('waits for a person where %s gains a skip: %s', (path, ...lines) => {
    expect(judge(path, lines)).toContain(weakened(path, 'skips a test'));
  });

  it.each([
    ['test/a.test.js', "+it.only('adds', () => {", "-it('adds', () => {"],
    ['test/a.test.js', "+fdescribe('adds', () => {"],
  ])('waits for a person where %s runs only some tests: %s', (path, ...lines) => {
    expect(judge(path, lines)).toContain(weakened(path, 'runs only some tests'));
    expect(judge(path, lines, 'added')).toContain(weakened(path, 'runs only some tests'));
  });

  it.each([
    ['test/a.test.js', ['-  expect(add(1, 2)).toBe(3);'], 'loses 1 assertion'],
    ['test/a.test.js', ['-  expect(add(1, 2)).toBe(3);', '+  expect(true).toBe(true);'], 'loses 1 assertion'],
    ['test/a.test.js', ['-  expect(add(1, 2)).toBe(3);', '+  // expect(add(1, 2)).toBe(3);'], 'loses 1 assertion'],
    ['tests/test_a.py', ['-    assert x == 1', '+    assert x == 1 or True'], 'loses 1 assertion'],
    ['test/a.test.js', ['-  expect(a).toBe(1);', '+  expect(a === 1 || true).toBe(true);'], 'loses 1 assertion'],
    ['test/a.test.js', ['-  assert.equal(a, 1); assert.ok(b);', '+  assert.ok(b);'], 'loses 1 assertion'],
    ['test/a.test.js', ['-  t.deepEqual(a, [1]);', '+  t.log(a);'], 'loses 1 assertion'],
    ['test/a.test.js', ['-  a.should.equal(1);', '-  b.should.equal(2);', '+  a;'], 'loses 2 assertions'],
    ['tests/test_a.py', ['-    assert add(1, 2) == 3', '+    assert True'], 'loses 1 assertion'],
    ['tests/test_a.py', ['-    self.assertEqual(add(1, 2), 3)', '+    pass'], 'loses 1 assertion'],
    ['a_test.go', ['-\t\tt.Errorf("got %d", got)', '+\t\t_ = got'], 'loses 1 assertion'],
    ['a_test.go', ['-\trequire.Equal(t, 3, got)', '+\t_ = got'], 'loses 1 assertion'],
    ['tests/a.rs', ['-    assert_eq!(add(1, 2), 3);', '+    let _ = add(1, 2);'], 'loses 1 assertion'],
    ['src/test/java/ATest.java', ['-    assertEquals(3, add(1, 2));', '+    add(1, 2);'], 'loses 1 assertion'],
    ['src/test/java/ATest.java', ['-    Assert.Equal(3, add(1, 2));', '+    add(1, 2);'], 'loses 1 assertion'],
    ['test/a_test.cc', ['-  EXPECT_EQ(add(1, 2), 3);', '+  add(1, 2);'], 'loses 1 assertion'],
    ['Tests/ATests.swift', ['-    XCTAssertEqual(add(1, 2), 3)', '+    add(1, 2)'], 'loses 1 assertion'],
    ['spec/a_spec.rb', ['-    expect(add(1, 2)).to eq(3)', '+    add(1, 2)'], 'loses 1 assertion'],
    ['test/a.test.js', ['-  expect(f()).toBe(3);', '+  expect(f()).toBe(f());'], 'loses 1 assertion'],
    [
      'test/a.test.js',
      ['-  expect(f(1, 2)).toEqual([3]);', '+  expect( f(1, 2) ).toEqual(f(1, 2));'],
      'loses 1 assertion',
    ],
    ['test/a.test.js', ['-  assert.equal(f(), 3);', '+  assert.strictEqual(f(), f());'], 'loses 1 assertion'],
    ['test/a.test.js', ['-  expect(f()).to.equal(3);', "+  expect(f()).to.equal(f(), 'f');"], 'loses 1 assertion'],
    ['tests/test_a.py', ['-    assert f() == 3', '+    assert f() == f()'], 'loses 1 assertion'],
    ['tests/test_a.py', ['-    self.assertEqual(f(), 3)', '+    self.assertEqual(f(), f())'], 'loses 1 assertion'],
    ['a_test.go', ['-\tassert.Equal(t, 3, f())', '+\tassert.Equal(t, f(), f())'], 'loses 1 assertion'],
    ['tests/a.rs', ['-    assert_eq!(f(), 3);', '+    assert_eq!(f(), f());'], 'loses 1 assertion'],
    ['spec/a_spec.rb', ['-    expect(f).to eq(3)', '+    expect(f).to eq(f)'], 'loses 1 assertion'],
  ])('waits for a person where %s loses assertions: %j', (path, lines, how) => {
    expect(judge(path, lines)).toEqual([weakened(path, how)]);
  });

  it.each([
    ['test/a.test.js', [" it('adds', () => {", '+  return;', '   expect(f()).toBe(3);', ' });']],
    ['test/a.test.js', [" it('adds', () => {", '+  return', '+', '   // later', '   expect(f()).toBe(3);', ' });']],
    ['tests/test_a.py', [' def test_adds():', '+    return', '     assert f() == 3']],
    ['tests/test_a.py', [' def test_adds():', '+    return None', '+    # later', '     assert f() == 3']],
    ['a_test.go', [' func TestAdd(t *testing.T) {', '+\treturn', ' \tif f() != 3 {']],
    ['tests/a.rs', [' fn adds() {', '+    return;', '     assert_eq!(f(), 3);']],
  ])('waits for a person where %s returns before the end of a test: %j', (path, lines) => {
    expect(judge(path, lines)).toEqual([weakened(path, 'returns before the end of a test')]);
    expect(judge(path, lines, 'added')).toEqual([]);
  });

  it.each([
    ['test/a.test.js', ["-  it('adds', () => {", '-  });', '+', '+  let x;'], 'loses 1 test'],
    ['test/a.test.js', ["-  t.test('adds', () => {", '+  add();'], 'loses 1 test'],
    ['tests/test_a.py', ['-def test_adds():', '+def adds():'], 'loses 1 test'],
    ['a_test.go', ['-func TestAdd(t *testing.T) {', '+func add(t *testing.T) {'], 'loses 1 test'],
    ['tests/a.rs', ['-#[test]', '-#[tokio::test]', '+// none'], 'loses 2 tests'],
    ['src/test/java/ATest.java', ['-  @Test', '+  // none'], 'loses 1 test'],
  ])('waits for a person where %s loses tests: %j', (path, lines, how) => {
    expect(judge(path, lines)).toEqual([weakened(path, how)]);
  });

  it.each([
    ['src/a.js', '+process.exit(0);'],
    ['src/a.js', '+  process.exit();'],
    ['src/a.js', '+process.exitCode = 0;'],
    ['src/a.py', '+import os; os._exit(0)'],
    ['src/a.py', '+sys.exit(0)'],
    ['src/a.py', '+raise SystemExit'],
    ['cmd/a.go', '+\tos.Exit(0)'],
    ['src/a.rs', '+    std::process::exit(0);'],
    ['src/A.java', '+    System.exit(0);'],
    ['scripts/test.sh', '+exit 0'],
    ['scripts/test.sh', '+npm test || exit 0'],
  ])('waits for a person where %s ends with success: %s', (path, line) => {
    const expected = weakened(path, 'ends the process with success');
    expect(judge(path, [line])).toEqual([expected]);
    expect(judge(path, [line], 'added')).toEqual([expected]);
  });

  it.each([
    ['an edited expectation', 'test/a.test.js', ['-  expect(a).toBe(1);', '+  expect(a).toBe(2);']],
    ['a moved test', 'test/a.test.js', ["-it('a', () => expect(a).toBe(1));", "+it('a', () => expect(a).toBe(1));"]],
    ['a test more', 'test/a.test.js', ["+it('b', () => {", '+  expect(b).toBe(1);', '+});']],
    ['a skip that was there', 'test/a.test.js', ["-it.skip('a', () => {", "+it.skip('a b', () => {"]],
    ['a skip that goes', 'test/a.test.js', ["-it.skip('a', () => {", "+it('a', () => {"]],
    ['a helper that asserts less', 'src/assert.js', ['-  assert(a);', '+  return a;']],
    ['another exit code', 'src/cli.js', ['-process.exit(1);', '+process.exit(2);']],
    ['an exit that was there', 'src/cli.js', ['-process.exit(0);', '+  process.exit(0);']],
    ['an exit in prose', 'README.md', ['+exit 0']],
    ['an exit with a result', 'src/a.py', ['+sys.exit(main())']],
    ['a pattern that is tested no more', 'test/a.test.js', ['-  const ok = /x/.test(y);', '+  const ok = y;']],
    ['a return in a branch', 'test/a.test.js', ['   if (a) {', '+    return;', '   }', '   b();']],
    ['a return below a condition', 'test/a.test.js', ['   if (a)', '+    return;', '   b();']],
    ['a return with a value', 'test/a.test.js', ['+  return f();', '   b();']],
    ['a return in a case', 'test/a.test.js', ['   case 1:', '+  return;', '   case 2:']],
    ['a return before the end of a callback', 'test/a.test.js', ['+    return;', '   });']],
    ['a return above a function that is called before', 'test/a.test.js', ['+  return;', '   function f() {']],
    ['an empty generator', 'tests/test_a.py', ['+    return', '+    yield']],
    ['a return that moves', 'test/a.test.js', ['-  return;', '+  return;', '   b();']],
    ['a return above a comment at the end of a block', 'test/a.test.js', ['+  return;', '   // done', '   }']],
    ['a return at the end of what is seen', 'test/a.test.js', ['+  return;', '+']],
    [
      'a value that is compared with another call',
      'test/a.test.js',
      ['-  expect(f(1)).toBe(2);', '+  expect(f(f(1))).toBe(f(1));'],
    ],
    ['a value that begins alike', 'tests/test_a.py', ['-    assert a == 1', '+    assert a == a_b']],
    ['a comment that goes', 'test/a.test.js', ['-  // expect(a).toBe(1);', '+  b();']],
  ])('lets %s pass', (_what, path, lines) => {
    expect(judge(path, lines)).toEqual([]);
  });

  it.each([
    ['a skip', "+it.skip('later', () => {"],
    ['fewer assertions than another file', '+  a();'],
  ])('lets a new test with %s pass', (_what, line) => {
    expect(judge('test/new.test.js', [line], 'added')).toEqual([]);
  });

  it('tells each file and each way once', () => {
    const lines = ["+it.skip('a', () => {", "+it.skip('b', () => {", '-  expect(a).toBe(1);'];

    expect(judge('test/a.test.js', lines)).toEqual([
      weakened('test/a.test.js', 'skips a test'),
      weakened('test/a.test.js', 'loses 1 assertion'),
    ]);
  });
});

describe('a change with text that nobody can see', () => {
  it.each([
    ['a right-to-left override (CVE-2021-42574)', "+if (role != 'user\u202E \u2066// admin\u2069 \u2066') {"],
    ['a zero-width space', '+const a\u200Bb = 1;'],
    ['a word joiner', '+const a\u2060b = 1;'],
    ['a Hangul filler as a name', '+const \u3164 = 1;'],
    ['tag characters', '+// ok\u{E0041}\u{E0042}'],
    ['variation selectors that hide data', "+eval(decode('\uFE01\uFE02\u{E0101}'));"],
    ['a joiner within a word', '+const isAd\u200Dmin = true;'],
    ['a selector after a letter', '+const a\uFE0F = 1;'],
    ['a byte order mark in the middle', '+const a = "\uFEFF";'],
  ])('is refused: %s (T55)', (_what, line) => {
    expect(judge('src/a.ts', [line])).toEqual([
      'HIDDEN_TEXT: The change adds characters that nobody can see: "src/a.ts".',
    ]);
  });

  it.each([
    ...['\u061C', '\u115F', '\u1160', '\u180E', '\u200B', '\u200E', '\u200F', '\u202A', '\u202E', '\u2060', '\u2064'],
    ...['\u2066', '\u2069', '\u206F', '\u3164', '\uFEFF', '\uFFA0', '\uFFF9', '\uFFFB', '\u{1D173}', '\u{1D17A}'],
    ...['\u{E0000}', '\u{E0041}', '\u{E007F}'],
  ])('is refused where it has one such character: %j', (character) => {
    expect(judge('src/a.ts', [`+const a${character}b = 1;`])[0]).toMatch(/^HIDDEN_TEXT/);
    expect(judge(`src/a${character}b.ts`, ['+const a = 1;'], 'added')[0]).toMatch(/^UNSAFE/);
  });

  it.each([
    ['an emoji of several', "+const family = '👨‍👩‍👧';"],
    ['an emoji with its selector', "+const heart = '❤️';"],
    ['a keycap', "+const one = '1️⃣';"],
    ['Persian with a joiner', "+const text = 'می‌خواهم';"],
    ['a line that moves', '-const a\u200Bb = 1;', '+  const a\u200Bb = 1;'],
    ['such a character that goes', '-const a\u200Bb = 1;', '+const ab = 1;'],
  ])('passes: %s', (_what, ...lines) => {
    expect(judge('src/a.ts', lines)).toEqual([]);
  });
});
