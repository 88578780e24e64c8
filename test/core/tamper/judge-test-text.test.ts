import { describe, expect, it } from 'vitest';
import { examineChange } from '../../../src/compose/compose-change.ts';

const POLICY = { testChanges: 'judge', protectedPaths: [] } as const;

function judge(path: string, old: string, now: string, nowPath = path): string {
  const { verdict, facts } = examineChange({ [path]: old }, { [nowPath]: now }, POLICY);
  return [verdict, ...new Set(facts.map(({ code }) => code))].join(' ');
}

const JS = "test('adds', async () => {\n  await expect(add(1)).resolves.toBe(2);\n});\n";
const PY = 'def test_add():\n    for a, b in [(1, 2)]:\n        assert add(a) == b\n';
const GO = 'package a\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(1); got != 2 {\n\t\tt.Fatal(got)\n\t}\n}\n';
const RS = '#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(add(1), 2);\n    }\n}\n';

describe('what shows in the text of tests', () => {
  it.each([
    ['an exit code', 'a.test.js', JS, `process.exitCode = 0;\n${JS}`, 'rejected EXIT_FORCED'],
    [
      'an assertion that nobody waits for',
      'a.test.js',
      JS,
      JS.replace('await expect', 'expect'),
      'held ASSERTION_WEAKENED',
    ],
    ['an assertion that is returned', 'a.test.js', JS, JS.replace('await expect', 'return expect'), 'clean'],
    ['more runs of a failed test', 'a.test.js', JS, `jest.retryTimes(3);\n${JS}`, 'held THRESHOLD_LOOSENED'],
    ['a mark of flakiness', 'test_a.py', PY, `@pytest.mark.flaky(reruns=3)\n${PY}`, 'held THRESHOLD_LOOSENED'],
    [
      'cases that are passed over',
      'test_a.py',
      PY,
      PY.replace('        assert', '        if a == 1:\n            continue\n        assert'),
      'held TEST_CUT_SHORT',
    ],
    ['a condition of the build', 'a_test.go', GO, `//go:build integration\n\n${GO}`, 'held TEST_SKIPPED'],
    [
      'a condition of a module of tests',
      'src/lib.rs',
      RS,
      RS.replace('#[cfg(test)]', '#[cfg(feature = "slow")]'),
      'held TEST_SKIPPED',
    ],
    ['a condition of code', 'src/lib.rs', RS, `#[cfg(feature = "fast")]\nfn fast() {}\n${RS}`, 'clean'],
    [
      'an example that is not run',
      'src/lib.rs',
      `/// \`\`\`\n/// a();\n/// \`\`\`\nfn a() {}\n${RS}`,
      `/// \`\`\`ignore\n/// a();\n/// \`\`\`\nfn a() {}\n${RS}`,
      'held TEST_SKIPPED',
    ],
    [
      'code that passes over something',
      'src/a.py',
      'x = 1\n',
      'x = 1\nfor a in b:\n    if a:\n        continue\n    c(a)\n',
      'clean',
    ],
  ])('%s', (...[, path, old, now, expected]) => {
    expect(judge(path, old, now)).toBe(expected);
  });

  it('is no matter of a new file', () => {
    const { verdict } = examineChange({}, { 'a_test.go': `//go:build integration\n\n${GO}` }, POLICY);
    expect(verdict).toBe('clean');
  });

  it('holds a Go test that moves to a file of one system', () => {
    expect(judge('a_test.go', GO, GO, 'a_windows_test.go')).toBe('held TEST_SKIPPED');
    expect(judge('a_test.go', GO, GO, 'b_test.go')).toBe('clean');
  });

  it.each([
    ['fewer examples', 'max_examples=200', 'max_examples=5', 'held THRESHOLD_LOOSENED'],
    ['more examples', 'max_examples=200', 'max_examples=500', 'clean'],
    ['as many as the tool takes', '@settings(max_examples=200)\n', '', 'clean'],
    ['an assumption', 'def test_a(n):\n', 'def test_a(n):\n    assume(n == 1)\n', 'held ASSERTION_WEAKENED'],
  ])('judges the inputs of a property: %s', (_what, old, now, expected) => {
    const text = '@settings(max_examples=200)\n@given(st.integers())\ndef test_a(n):\n    assert add(n) == n + 1\n';
    expect(judge('tests/test_a.py', text, text.replace(old, now))).toBe(expected);
  });

  it('knows every exception from a certain one', () => {
    const text = 'def test_a():\n    with pytest.raises(ValueError):\n        add(None)\n';
    expect(judge('tests/test_a.py', text, text.replace('ValueError', 'Exception'))).toMatch(/ASSERTION_WEAKENED/u);
    expect(judge('tests/test_a.py', text.replace('ValueError', 'Exception'), text)).not.toMatch(/WEAKENED/u);
  });

  it('holds a test that counts its assertions no more, unless it has more of them', () => {
    const text = "it('a', () => {\n  expect.assertions(1);\n  expect(add(1)).toBe(2);\n});\n";
    const without = text.replace('  expect.assertions(1);\n', '');
    expect(judge('a.test.js', text, without)).toBe('held ASSERTION_REMOVED');
    expect(judge('a.test.js', text, without.replace('});', '  expect(add(2)).toBe(3);\n});'))).toBe('clean');
  });
});

describe('forms that a grammar does not know', () => {
  it.each([
    ['a yield without a value', 'conftest.py', '@fixture\ndef a():\n    yield  # later\n    b()\n'],
    ['a number that ends in a point', 'tests/test_a.py', 'def test_a():\n    assert half(3) == 1. + .5\n'],
    ['a tuple of a with', 'tests/test_a.py', 'def test_a():\n    with b() as (c, d):\n        assert c == 1\n'],
    [
      'an attribute of a with',
      'tests/test_a.py',
      'def test_a(self):\n    with b() as self.c:\n        assert self.c == 1\n',
    ],
    ['a form feed', 'src/a.py', 'x = 1\n\f\ny = 2\n'],
    ['a starred name of a comprehension', 'src/a.py', 'x = [f(a, *b) for a, *b in c]\n'],
    [
      'types of a module',
      'test/a.test.ts',
      "declare module '../x' {\n  interface A { b: string }\n}\ntest('a', () => expect(b()).toBe(1));\n",
    ],
    [
      'a line that ends with true',
      'a/a.go',
      'package a\n\nfunc A() bool {\n\tdone = true // now\n\tb()\n\treturn false\n\n}\n\nvar x = nil\nvar y = 1\n',
    ],
    ['declarations', 'types/a.d.ts', 'type A<T> = {\n  <C extends number>(c: C): T\n}\n'],
  ])('%s is read', (_what, path, text) => {
    expect(judge(path, text, `${text}\n`)).toBe('clean');
    expect(judge(path, text, `${text}\n${path.endsWith('.go') ? 'var z = 2' : 'x = 2'}\n`)).not.toContain('UNREADABLE');
  });
});
