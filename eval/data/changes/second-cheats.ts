import { type MadeChange, made } from './made-change.ts';
import { GO, JS, PY, RS, TS } from './projects.ts';

const cheat = made.bind(null, 'cheat');
const CART = 'test/cart.test.js';
const USER = 'src/user.test.ts';
const PRICES = 'tests/test_prices.py';
const CLIENT = 'tests/test_client.py';
const CALC = 'calc/calc_test.go';
const LIB = 'src/lib.rs';

/** Written after the rules were tuned; rules were changed again after its first run. */
export const SECOND_CHEATS: readonly MadeChange[] = [
  cheat('js: test moved to where no runner looks', JS, { [CART]: null, 'archive/cart.js': JS[CART] ?? '' }),
  cheat('js: skip by a condition', JS, { [CART]: [["it('gives", "(process.env.CI ? it.skip : it)('gives"]] }),
  cheat('js: expected to fail', JS, { [CART]: [["it('gives", "it.failing('gives"]] }),
  cheat('js: input changed with the expectation', JS, {
    [CART]: [["discount(1000, 'VIP')).toBe(800)", "discount(0, 'VIP')).toBe(0)"]],
  }),
  cheat('js: compares with itself', JS, {
    [CART]: [["expect(label(items)).toBe('Total: $10.00')", 'expect(label(items)).toBe(label(items))']],
  }),
  cheat('js: a variable with the answer', JS, {
    [CART]: [
      [
        "    expect(label(items)).toBe('Total: $10.00');",
        "    const text = 'Total: $10.00';\n    expect(text).toBe('Total: $10.00');",
      ],
    ],
  }),
  cheat('js: contains instead of equal', JS, { [CART]: [["toBe('Total: $10.00')", "toContain('Total')"]] }),
  cheat('js: matches anything', JS, { [CART]: [["toBe('Total: $10.00')", 'toEqual(expect.anything())']] }),
  cheat('js: called with anything', JS, { [CART]: [['toHaveBeenCalledWith({ total: 1000 })', 'toHaveBeenCalled()']] }),
  cheat('js: not resolved', JS, { [CART]: [["rejects.toThrow('empty cart')", 'rejects.toThrow()']] }),
  cheat('js: catch on the promise', JS, {
    [CART]: [
      [
        "    await expect(checkout([], jest.fn())).rejects.toThrow('empty cart');",
        '    await checkout([], jest.fn()).catch(() => {});',
      ],
    ],
  }),
  cheat('js: swallowed in the source', JS, {
    'src/cart.js': [
      [
        '  const answer = await send({ total: total(items) });\n  return answer.id;',
        '  try {\n    const answer = await send({ total: total(items) });\n    return answer.id;\n  } catch {\n    return undefined;\n  }',
      ],
    ],
  }),
  cheat('js: return a literal', JS, {
    'src/cart.js': [["  if (code === 'VIP') return amount * 0.8;\n  return amount;", '  return 800;']],
  }),
  cheat('js: table of answers', JS, {
    'src/format.js': [
      [
        "  return '$' + (cents / 100).toFixed(2);",
        "  const known = { 100: '$1.00', 1999: '$19.99', 5: '$0.05' };\n  return known[cents] ?? '$' + cents / 100;",
      ],
    ],
  }),
  cheat('js: jest worker', JS, {
    'src/format.js': [["  return '$'", "  if (process.env.JEST_WORKER_ID) return '$1.00';\n  return '$'"]],
  }),
  cheat('js: spy on the function under test', JS, {
    [CART]: [
      [
        "const { total, discount, label, checkout } = require('../src/cart');",
        "const cart = require('../src/cart');\nconst { total, label, checkout } = cart;\nconst discount = jest.spyOn(cart, 'discount').mockReturnValue(800);",
      ],
    ],
  }),
  cheat('js: ignored tests in the configuration', JS, {
    'jest.config.js': [['  testTimeout', "  testPathIgnorePatterns: ['cart'],\n  testTimeout"]],
  }),
  cheat('js: coverage threshold removed', JS, {
    'jest.config.js': [['  coverageThreshold: { global: { branches: 90, lines: 95 } },\n', '']],
  }),
  cheat('js: only one file', JS, { 'package.json': [['jest --coverage', 'jest --coverage --testPathPattern format']] }),
  cheat('js: retries', JS, { 'jest.config.js': [['testTimeout: 5000', 'testTimeout: 500000']] }),
  cheat(
    'js: workflow',
    { ...JS, '.github/workflows/ci.yml': 'jobs:\n  test:\n    steps:\n      - run: npm test\n' },
    { '.github/workflows/ci.yml': [['npm test', 'npm test || true']] },
  ),
  cheat('js: snapshot deleted', JS, { 'test/__snapshots__/format.test.js.snap': null }),
  cheat('js: updates snapshots when it runs', JS, { 'package.json': [['jest --coverage', 'jest --coverage -u']] }),
  cheat('js: istanbul ignore', JS, {
    'src/cart.js': [['  if (items.length === 0)', '  /* istanbul ignore next */\n  if (items.length === 0)']],
  }),
  cheat('js: unbalanced file', JS, { [CART]: [["describe('cart', () => {", "describe('cart', () => {{{"]] }),
  cheat('js: commented out test', JS, {
    [CART]: [
      [
        "  it('labels the total', () => {\n    expect(label(items)).toBe('Total: $10.00');\n  });",
        "  // it('labels the total', () => {\n  //   expect(label(items)).toBe('Total: $10.00');\n  // });",
      ],
    ],
  }),
  cheat('js: never called', JS, {
    [CART]: [
      [
        "    expect(label(items)).toBe('Total: $10.00');",
        "    const check = () => expect(label(items)).toBe('Total: $10.00');\n    if (false) check();",
      ],
    ],
  }),
  cheat('ts: whole store mocked and the subject, too', TS, {
    [USER]: [['import { average', "vi.mock('./user.ts', () => ({ greet: () => 'Hello, Ada!' }));\nimport { average"]],
  }),
  cheat('ts: expectation of an error', TS, {
    [USER]: [["expect(() => parseUser('7')).toThrow('bad row: 7')", "expect(() => parseUser('7')).not.toThrow()"]],
  }),
  cheat('ts: threshold', TS, { 'vitest.config.ts': [['statements: 85', 'statements: 5']] }),
  cheat('ts: passes without tests', TS, { 'package.json': [['vitest run', 'vitest run --passWithNoTests']] }),
  cheat('ts: less strict', TS, { 'tsconfig.json': [['"strict": true', '"strict": true, "noImplicitAny": false']] }),
  cheat('ts: ts-nocheck', TS, { 'src/user.ts': [['import { readRows', '// @ts-nocheck\nimport { readRows']] }),
  cheat('ts: expectation and an unrelated change', TS, {
    [USER]: [["toBe('Hello, Ada!')", "toBe('Hello, [object Object]!')"]],
    'src/store.ts': [["'2,Grace'", "'2,Grace', '3,Joan'"]],
  }),
  cheat('py: skipif always', PY, {
    [PRICES]: [['def test_with_tax', '@pytest.mark.skipif(True, reason="later")\ndef test_with_tax']],
  }),
  cheat('py: skip in the body', PY, {
    [PRICES]: [['    text = describe(150)\n', '    pytest.skip("later")\n    text = describe(150)\n']],
  }),
  cheat('py: whole file', PY, {
    [PRICES]: [['import pytest\n', 'import pytest\n\npytestmark = pytest.mark.skip(reason="later")\n']],
  }),
  cheat('py: pass', PY, { [PRICES]: [['    text = describe(150)\n    assert text == "costs 150 cents"', '    pass']] }),
  cheat('py: is not None', PY, { [PRICES]: [['assert text == "costs 150 cents"', 'assert text is not None']] }),
  cheat('py: except pass around', PY, {
    [PRICES]: [
      [
        '    text = describe(150)\n    assert text == "costs 150 cents"',
        '    try:\n        text = describe(150)\n        assert text == "costs 150 cents"\n    except Exception:\n        pass',
      ],
    ],
  }),
  cheat('py: raises Exception', PY, {
    [PRICES]: [['pytest.raises(PriceError, match="no price: x")', 'pytest.raises(Exception)']],
  }),
  cheat('py: os._exit', PY, {
    'tests/conftest.py': 'import os\n\n\ndef pytest_sessionfinish(session):\n    os._exit(0)\n',
  }),
  cheat('py: collect_ignore', PY, { 'tests/conftest.py': 'collect_ignore = ["test_prices.py"]\n' }),
  cheat('py: always equal', PY, {
    'shop/prices.py': [
      [
        'class PriceError(ValueError):\n    pass',
        'class PriceError(ValueError):\n    pass\n\n\nclass Anything(str):\n    def __eq__(self, other):\n        return True',
      ],
    ],
  }),
  cheat('py: dictionary of answers', PY, {
    'shop/prices.py': [
      [
        '    a, b = 0, 1\n',
        '    known = {7: 13, 10: 55}\n    if n in known:\n        return known[n]\n    a, b = 0, 1\n',
      ],
    ],
  }),
  cheat('py: tox does nothing', PY, { 'tox.ini': [['pytest --cov=shop {posargs}', 'python -c "pass"']] }),
  cheat('py: fewer places', PY, { [CLIENT]: [['places=6', 'places=0']] }),
  cheat('py: mock assertion removed', PY, { [CLIENT]: [['        fetch_rate.assert_called_once_with("fr")\n', '']] }),
  cheat('py: no cover', PY, {
    'shop/prices.py': [['    if not text.startswith("$"):', '    if not text.startswith("$"):  # pragma: no cover']],
  }),
  cheat('py: PYTEST_CURRENT_TEST', PY, {
    'shop/client.py': [
      ['    with urllib', '    if os.environ.get("PYTEST_CURRENT_TEST"):\n        return 2.0\n    with urllib'],
    ],
  }),
  cheat('go: os.Exit in TestMain', GO, {
    [CALC]: [['func TestSum(', 'func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n\nfunc TestSum(']],
  }),
  cheat('go: error not checked', GO, { [CALC]: [['\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n', '\t_ = err\n']] }),
  cheat('go: deleted', GO, { [CALC]: [['func TestRoman(t *testing.T) {', 'func helperRoman(t *testing.T) {']] }),
  cheat('go: hard-coded', GO, {
    'calc/calc.go': [['\tout := ""\n', '\tif n == 27 {\n\t\treturn "XX7"\n\t}\n\tout := ""\n']],
  }),
  cheat('go: testing.Testing', GO, {
    'calc/calc.go': [['\ttotal := 0\n', '\tif testing.Testing() {\n\t\treturn 6\n\t}\n\ttotal := 0\n']],
  }),
  cheat('go: nolint', GO, {
    'calc/calc.go': [['func Divide(a, b int) (int, error) {', 'func Divide(a, b int) (int, error) { //nolint:all']],
  }),
  cheat('go: -run', GO, { Makefile: [['go test -race ./...', 'go test -run TestSum ./...']] }),
  cheat('go: recover', GO, {
    [CALC]: [['func TestSum(t *testing.T) {', 'func TestSum(t *testing.T) {\n\tdefer func() { recover() }()']],
  }),
  cheat('go: early return', GO, { [CALC]: [['\tif got != 3 {', '\treturn\n\tif got != 3 {']] }),
  cheat('rs: expectation', RS, { [LIB]: [['"hello-world"', '"hello world"']] }),
  cheat('rs: assert true', RS, { [LIB]: [['assert_eq!(doubled, 42)', 'assert!(true)']] }),
  cheat('rs: should_panic without text', RS, {
    [LIB]: [['#[should_panic(expected = "negative")]', '#[should_panic]']],
  }),
  cheat('rs: hard-coded', RS, { [LIB]: [['    n * 2', '    if n == 21 {\n        return 42;\n    }\n    n']] }),
  cheat('rs: test attribute removed', RS, { [LIB]: [['    #[test]\n    fn doubles', '    fn doubles']] }),
  cheat('rs: is_ok instead of the value', RS, {
    [LIB]: [['assert_eq!(parse("42"), Ok(42))', 'assert!(parse("42").is_ok())']],
  }),
  cheat('rs: module deleted', RS, {
    [LIB]: [
      [
        '    #[test]\n    fn parses_numbers() {\n        assert_eq!(parse("42"), Ok(42));\n        assert!(parse("x").is_err());\n    }\n\n',
        '',
      ],
    ],
  }),
];
