import { describe, expect, it } from 'vitest';
import { createSourceReader } from '../../../src/adapters/source/read-source.ts';
import type { ReadSource } from '../../../src/ports/source-reader.ts';

const readSource: ReadSource = (path, text) => createSourceReader()(path, text);

function summarise(path: string, text: string): readonly string[] {
  const { tests, events } = readSource(path, text);
  return [
    ...tests.map(({ name, state, assertions, cases }) => `${name}: ${state} ${assertions.length}/${cases}`),
    ...events.map(({ kind, detail }) => `${kind} ${detail}`.trim()),
  ];
}

describe('what a file says about its tests', () => {
  it.each([
    ['a.test.js', "describe.skip('a', () => { it('b', () => { expect(f()).toBe(1); }); });", ['a > b: skipped 1/1']],
    [
      'a.test.ts',
      "it.each([[1, 2], [3, 4]])('%i', (a: number, b: number) => { expect(f(a)).toBe(b); });",
      ['%i: run 1/2'],
    ],
    ['a.test.tsx', "test('a', { skip: true }, async () => { assert.equal(f(<p />), 1); });", ['a: skipped 1/1']],
    ['a.test.mjs', "test('a', () => { try { assert(f()); } catch {} });", ['a: run 1/1', 'swallowed_assertion empty']],
    [
      'test_a.py',
      'class TestA:\n    @pytest.mark.skip\n    def test_b(self):\n        assert f() == 1\n',
      ['TestA > test_b: skipped 1/1'],
    ],
    ['test_a.py', '@pytest.mark.parametrize("a", [1, 2, 3])\ndef test_b(a):\n    assert f(a)\n', ['test_b: run 1/3']],
    ['a_test.go', 'package a\nfunc TestA(t *testing.T) { if F() != 1 { t.Error("x") } }\n', ['TestA: run 1/1']],
    ['a_test.go', 'package a\nfunc TestA(t *testing.T) { t.Skip("x") }\n', ['TestA: skipped 0/1']],
    ['a.rs', '#[cfg(test)] mod tests { #[test] #[ignore] fn a() { assert_eq!(f(), 1); } }', ['tests > a: skipped 1/1']],
    ['ATest.java', 'class A {\n  @Test\n  void a() {\n    assertEquals(1, f());\n  }\n}\n', ['a: run 1/1']],
    ['a_spec.rb', 'it "a" do\n  expect(f).to eq(1)\nend\n', ['a: run 1/1']],
  ])('%s: %s', (path, text, expected) => {
    expect(summarise(path, text)).toEqual(expected);
  });

  it('reads one form from all styles of an assertion', () => {
    const toFirst = (path: string, text: string): unknown => {
      const [test] = readSource(path, text).tests;
      const [first] = test?.assertions ?? [];
      return [first?.relation, first?.subject, first?.expected];
    };
    const equal = ['equal', 'f(2)', '3'];
    expect(toFirst('a.test.js', "it('a', () => { expect(f(2)).toBe(3); });")).toEqual(equal);
    expect(toFirst('a.test.js', "it('a', () => { assert.strictEqual(f( 2 ), 3); });")).toEqual(equal);
    expect(toFirst('a.test.js', "it('a', () => { assert(f(2) === 3); });")).toEqual(equal);
    expect(toFirst('test_a.py', 'def test_a():\n    assert 3 == f(2)\n')).toEqual(equal);
    expect(toFirst('test_a.py', 'def test_a(self):\n    self.assertEqual(f(2), 3)\n')).toEqual(equal);
    expect(
      toFirst('a_test.go', 'package a\nfunc TestA(t *testing.T) { if got := f(2); got != 3 { t.Fail() } }'),
    ).toEqual(equal);
    expect(toFirst('a_test.go', 'package a\nfunc TestA(t *testing.T) { assert.Equal(t, 3, f(2)) }')).toEqual(equal);
    expect(toFirst('a.rs', '#[test] fn a() { assert_eq!(f(2), 3); }')).toEqual(equal);
    expect(toFirst('ATest.java', '@Test\nvoid a() {\n  assertEquals(3, f(2));\n}\n')).toEqual(equal);
  });
});

describe('names that every object has', () => {
  it.each(['constructor', 'toString', '__proto__'])('reads a matcher called %s', (matcher) => {
    const { tests } = readSource('a.test.js', `it('a', () => { expect(f()).${matcher}(1); });`);
    expect(tests[0]?.assertions).toMatchObject([{ relation: 'helper', subject: 'f()', expected: '1' }]);
  });
});

describe('what cannot be read', () => {
  it.each([
    ['a syntax error', 'it((('],
    ['a text above the limit', `f();\n`.repeat(60_000)],
    ['brackets that nest too deeply', `${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['operators that nest too deeply', `${'a+'.repeat(5000)}a`],
    ['comments that do not end', '/*'.repeat(50_000)],
    ['strings that do not end', '`${'.repeat(20_000)],
    ['blanks without end', `it('a', () => { assert(a${' '.repeat(100_000)}+ b); });`],
    ['chains of operators', `${'a+'.repeat(900)}a;\n`.repeat(110)],
    ['chains of calls', `it('a', () => {\n${`a()${'.a()'.repeat(450)};\n`.repeat(110)}});`],
    ['tests without end', "it('a',()=>{});\n".repeat(13_000)],
    ['assertions without end', `it('a', () => {\n${'expect(a).toBe(1);\n'.repeat(11_000)}});`],
  ])('%s', (_what, text) => {
    expect(readSource('a.test.ts', text)).toMatchObject({ isReadable: false, tests: [], events: [] });
  });

  it('is what goes on after the work of one change is used up', () => {
    const text = `it('a', () => { expect(f()).toBe(1); });\n`.repeat(10);
    const read = createSourceReader({ perFile: 1_000_000, inAll: 1_000_000 });
    const isReadable = Array.from({ length: 5 }, () => read('a.test.js', text).isReadable);
    expect(isReadable).toEqual([true, true, true, false, false]);
  });

  it('reads a callee of many calls in one way', () => {
    const text = `it${'(a)'.repeat(60)}[0]('x', () => {});`;
    expect(readSource('a.test.js', text)).toMatchObject({ isReadable: true, tests: [] });
  });

  it('says nothing about files of no known language', () => {
    expect(readSource('README.md', 'it((')).toMatchObject({ isReadable: true, tests: [] });
  });
});
