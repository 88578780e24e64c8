import { describe, expect, it } from 'vitest';
import { examineChange } from '../../../src/compose/compose-change.ts';

const POLICY = { testChanges: 'judge', protectedPaths: [] } as const;

type Edit = (text: string) => string;

/** What is tried, the change of the file, and its new path where it moves. */
type Row = readonly [title: string, edit: Edit, to?: string];

function judge(path: string, text: string, [, edit, to = path]: Row): string {
  return examineChange({ [path]: text }, { [to]: edit(text) }, POLICY).verdict;
}

/** Each with its title, which names the test. */
function toRows(rows: readonly Row[]): readonly (readonly [string, Row])[] {
  return rows.map((row) => [row[0], row]);
}

const JS =
  "import { it, describe, expect } from 'vitest';\nimport { add } from './add';\n\ndescribe('add', () => {\n  it('adds', () => {\n    expect(add(1, 2)).toBe(3);\n  });\n\n  it.each([[1, 1, 2]])('more', (a, b, c) => {\n    expect(add(a, b)).toBe(c);\n  });\n});\n";
const PYTHON =
  'import pytest\nfrom add import add\n\n\nclass TestAdd:\n    def test_one(self):\n        assert add(1, 2) == 3\n\n\n@pytest.mark.parametrize("a", [1, 2])\ndef test_two(a):\n    assert add(a, 0) == a\n';
const GO =
  'package a\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Fatalf("got %d", got)\n\t}\n}\n';
const RUST =
  'pub fn add(a: u8, b: u8) -> u8 { a + b }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n}\n';

describe('tricks around tests', () => {
  it.each(
    toRows([
      ['alias of skip', (s) => s.replace("it('adds'", "const quiet = it.skip;\n  quiet('adds'")],
      ['shadowed it', (s) => s.replace("describe('add', () => {", "describe('add', () => {\n  const it = test.skip;")],
      [
        'import as skip',
        (s) => s.replace('{ it, describe', '{ describe').replace('\n\n', '\nconst it = (name) => {};\n\n'),
      ],
      ['xdescribe', (s) => s.replace("describe('add'", "xdescribe('add'")],
      ['empty table', (s) => s.replace('[[1, 1, 2]]', '[]')],
      [
        'if false',
        (s) =>
          s.replace(
            "  it('adds', () => {\n    expect(add(1, 2)).toBe(3);\n  });\n",
            "  if (false) {\n  it('adds', () => {\n    expect(add(1, 2)).toBe(3);\n  });\n  }\n",
          ),
      ],
      ['matcher not called', (s) => s.replace('.toBe(3)', '.toBe')],
      ['no matcher', (s) => s.replace('.toBe(3)', '')],
      [
        'commented test',
        (s) => s.replace("  it('adds'", "  /*\n  it('adds'").replace('toBe(3);\n  });', 'toBe(3);\n  });\n  */'),
      ],
      [
        'async never',
        (s) =>
          s.replace('    expect(add(1, 2)).toBe(3);', '    setTimeout(() => { expect(add(1, 2)).toBe(3); }, 1000);'),
      ],
      [
        'in a promise',
        (s) =>
          s.replace(
            '    expect(add(1, 2)).toBe(3);',
            '    Promise.resolve().then(() => { expect(add(1, 2)).toBe(3); }).catch(() => {});',
          ),
      ],
      ['redefined expect', (s) => s.replace('\n\n', '\nconst expect = () => ({ toBe() {} });\n\n')],
      ['moved to a disabled name', (s) => s, 'test/add.test.js.bak'],
      ['moved elsewhere', (s) => s, 'attic/add.js'],
      ['deep', (s) => s + '('.repeat(5000) + ')'.repeat(5000)],
      ['expect.extend', (s) => s.replace('\n\n', '\nexpect.extend({ toBe: () => ({ pass: true }) });\n\n')],
      ['null byte', (s) => s.replace("it('adds'", "it('ad\u0000ds'").replace('toBe(3)', 'toBeDefined()')],
      ['or true', (s) => s.replace('expect(add(1, 2)).toBe(3)', 'expect(add(1, 2) === 3 || true).toBe(true)')],
      ['expect the actual', (s) => s.replace('toBe(3)', 'toBe(add(1, 2))')],
      [
        'throw caught by finally',
        (s) =>
          s.replace('    expect(add(1, 2)).toBe(3);', '    try { expect(add(1, 2)).toBe(3); } finally { return; }'),
      ],
    ]),
  )('are seen in test/add.test.js: %s', (_title, row) => {
    expect(judge('test/add.test.js', JS, row)).not.toBe('clean');
  });

  it.each(
    toRows([
      ['class not collected', (s) => s.replace('class TestAdd', 'class AddCases')],
      ['__test__', (s) => s.replace('class TestAdd:\n', 'class TestAdd:\n    __test__ = False\n\n')],
      [
        'class with init',
        (s) => s.replace('class TestAdd:\n', 'class TestAdd:\n    def __init__(self):\n        self.a = 1\n\n'),
      ],
      [
        'if False',
        (s) =>
          s.replace(
            'def test_two(a):\n    assert add(a, 0) == a\n',
            'def test_two(a):\n    if False:\n        assert add(a, 0) == a\n',
          ),
      ],
      ['empty rows', (s) => s.replace('[1, 2]', '[]')],
      ['tuple assert', (s) => s.replace('assert add(1, 2) == 3', 'assert (add(1, 2) == 3, "adds")')],
      ['file not collected', (s) => s, 'tests/add_cases.py'],
      ['same name twice', (s) => s + '\n\n@pytest.mark.parametrize("a", [1])\ndef test_two(a):\n    pass\n'],
      ['generator', (s) => s.replace('        assert add(1, 2) == 3', '        yield\n        assert add(1, 2) == 3')],
      ['any equal', (s) => s.replace('== 3', '== mock.ANY')],
      ['importorskip', (s) => s.replace('\n\n\nclass', '\n\npytest.importorskip("nothing")\n\n\nclass')],
      ['del', (s) => s + '\ndel test_two\n'],
    ]),
  )('are seen in tests/test_add.py: %s', (_title, row) => {
    expect(judge('tests/test_add.py', PYTHON, row)).not.toBe('clean');
  });

  it.each(
    toRows([
      ['lower case', (s) => s.replace('TestAdd', 'testAdd')],
      ['TestMain', (s) => s + '\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n'],
      ['TestMain ignores', (s) => s + '\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n'],
      ['renamed file', (s) => s, 'a/add_tests.go'],
      ['underscore file', (s) => s, 'a/_add_test.go'],
      ['testdata', (s) => s, 'a/testdata/add_test.go'],
      ['SkipNow', (s) => s.replace('\tif got', '\tt.SkipNow()\n\tif got')],
      ['defer recover', (s) => s.replace('\tif got', '\tdefer func() { recover() }()\n\tif got')],
    ]),
  )('are seen in a/add_test.go: %s', (_title, row) => {
    expect(judge('a/add_test.go', GO, row)).not.toBe('clean');
  });

  it.each(
    toRows([
      ['no attribute', (s) => s.replace('    #[test]\n', '')],
      ['debug only', (s) => s.replace('    #[test]', '    #[cfg(not(debug_assertions))]\n    #[test]')],
      ['if false', (s) => s.replace('assert_eq!(add(1, 2), 3);', 'if false { assert_eq!(add(1, 2), 3); }')],
      ['should_panic', (s) => s.replace('    #[test]', '    #[test]\n    #[should_panic]')],
    ]),
  )('are seen in src/lib.rs: %s', (_title, row) => {
    expect(judge('src/lib.rs', RUST, row)).not.toBe('clean');
  });

  it.each(
    toRows([
      ['folder by case', (s) => s, 'Test/add.test.js'],
      ['CRLF', (s) => s.replaceAll('\n', '\r\n')],
      ['BOM', (s) => '\ufeff' + s],
      ['moved', (s) => s, 'test/unit/add.test.js'],
    ]),
  )('are not seen where there are none: %s', (_title, row) => {
    expect(judge('test/add.test.js', JS, row)).toBe('clean');
  });

  it('are looked for in linear time in a long class without tests', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `${' '.repeat(30)}value_${String(index)} = 1\n`);
    const text = `class Sample:\n${lines.join('')}`;
    const start = performance.now();
    expect(judge('tests/test_sample.py', text, ['same', (s) => `${s}x = 1\n`])).toBe('clean');
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
