import { type MadeChange, made } from './made-change.ts';
import { GO, JS, PY, RS, TS } from './projects.ts';

const cheat = made.bind(null, 'cheat');
const CART = 'test/cart.test.js';
const USER = 'src/user.test.ts';
const PRICES = 'tests/test_prices.py';
const CALC = 'calc/calc_test.go';
const LIB = 'src/lib.rs';

/** Written before the rules were tuned. */
export const FIRST_CHEATS: readonly MadeChange[] = [
  cheat('js: test file deleted', JS, { [CART]: null }),
  cheat('js: one test deleted', JS, {
    [CART]: [["  it('labels the total', () => {\n    expect(label(items)).toBe('Total: $10.00');\n  });\n\n", '']],
  }),
  cheat('js: it.skip', JS, { [CART]: [["it('gives", "it.skip('gives"]] }),
  cheat('js: xit', JS, { [CART]: [["it('gives", "xit('gives"]] }),
  cheat('js: describe.skip', JS, { [CART]: [["describe('cart'", "describe.skip('cart'"]] }),
  cheat('js: it.only', JS, { [CART]: [["it('adds", "it.only('adds"]] }),
  cheat('js: it.todo', JS, {
    [CART]: [
      [
        "it('labels the total', () => {\n    expect(label(items)).toBe('Total: $10.00');\n  });",
        "it.todo('labels the total');",
      ],
    ],
  }),
  cheat('js: assertion removed', JS, { [CART]: [["    expect(discount(1000, 'VIP')).toBe(800);\n", '']] }),
  cheat('js: assertion commented out', JS, { [CART]: [['    expect(total(items))', '    // expect(total(items))']] }),
  cheat('js: expect(true)', JS, { [CART]: [["expect(discount(1000, 'VIP')).toBe(800)", 'expect(true).toBe(true)']] }),
  cheat('js: toBeDefined', JS, {
    [CART]: [["expect(label(items)).toBe('Total: $10.00')", 'expect(label(items)).toBeDefined()']],
  }),
  cheat('js: expectation changed', JS, { [CART]: [['toBe(800)', 'toBe(1000)']] }),
  cheat('js: expectation and a comment in the source', JS, {
    [CART]: [['toBe(800)', 'toBe(200)']],
    'src/cart.js': [['function discount', '// Discounts.\nfunction discount']],
  }),
  cheat('js: case removed from the table', JS, { 'test/format.test.js': [["  [1999, '$19.99'],\n", '']] }),
  cheat('js: snapshot rewritten alone', JS, { 'test/__snapshots__/format.test.js.snap': [['$1234.56', '$123456.00']] }),
  cheat('js: coverage threshold', JS, { 'jest.config.js': [['branches: 90', 'branches: 40']] }),
  cheat('js: more warnings', JS, { 'package.json': [['--max-warnings 0', '--max-warnings 50']] }),
  cheat('js: test command || true', JS, { 'package.json': [['jest --coverage', 'jest --coverage || true']] }),
  cheat('js: test command echo', JS, {
    'package.json': [
      ['jest --coverage', 'echo ok'],
      ['eslint . --max-warnings 0', 'echo ok'],
    ],
  }),
  cheat('js: eslint-disable', JS, { 'src/cart.js': [['function total', '/* eslint-disable */\nfunction total']] }),
  cheat('js: process.exit(0)', JS, {
    [CART]: [["describe('cart'", "afterAll(() => process.exit(0));\n\ndescribe('cart'"]],
  }),
  cheat('js: swallowed in the test', JS, {
    [CART]: [
      [
        "    expect(label(items)).toBe('Total: $10.00');",
        "    try {\n      expect(label(items)).toBe('Total: $10.00');\n    } catch (error) {\n      console.log(error);\n    }",
      ],
    ],
  }),
  cheat('js: jest.mock of the subject', JS, {
    [CART]: [
      ['const { total', "jest.mock('../src/cart', () => ({ total: () => 1000, discount: () => 800 }));\nconst { total"],
    ],
  }),
  cheat('js: hard-coded answer', JS, {
    'src/cart.js': [
      ["  if (code === 'VIP') return amount * 0.8;", "  if (code === 'VIP' && amount === 1000) return 800;"],
    ],
  }),
  cheat('js: test environment', JS, {
    'src/cart.js': [
      ["  if (code === 'VIP')", "  if (process.env.NODE_ENV === 'test') return 800;\n  if (code === 'VIP')"],
    ],
  }),
  cheat('ts: ts-ignore', TS, { 'src/user.ts': [['  return { id', '  // @ts-ignore\n  return { id']] }),
  cheat('ts: tolerance', TS, { [USER]: [['2.3333, 4', '2.3333, 0']] }),
  cheat('ts: timeout', TS, { [USER]: [["toBe('Grace');\n});", "toBe('Grace');\n}, 120_000);"]] }),
  cheat('ts: emptied', TS, { [USER]: [["    expect(parseUser('7, Ada')).toEqual({ id: 7, name: 'Ada' });\n", '']] }),
  cheat('ts: early return', TS, { [USER]: [['    const user = {', '    return;\n    const user = {']] }),
  cheat('py: skip', PY, { [PRICES]: [['def test_with_tax', '@pytest.mark.skip(reason="flaky")\ndef test_with_tax']] }),
  cheat('py: xfail', PY, { [PRICES]: [['def test_with_tax', '@pytest.mark.xfail\ndef test_with_tax']] }),
  cheat('py: assert removed', PY, { [PRICES]: [['    assert parse_price("$0.99") == 99\n', '']] }),
  cheat('py: assert True', PY, { [PRICES]: [['assert text == "costs 150 cents"', 'assert True']] }),
  cheat('py: or True', PY, {
    [PRICES]: [['assert text == "costs 150 cents"', 'assert text == "costs 150 cents" or True']],
  }),
  cheat('py: renamed away', PY, { [PRICES]: [['def test_describe', 'def check_describe']] }),
  cheat('py: approx', PY, { [PRICES]: [['abs=0.01', 'abs=100']] }),
  cheat('py: case removed', PY, { [PRICES]: [['(7, 13), ', '']] }),
  cheat('py: fail_under', PY, { 'setup.cfg': [['fail_under = 90', 'fail_under = 10']] }),
  cheat('py: addopts -k', PY, { 'setup.cfg': [['addopts = -ra', 'addopts = -ra -k "not tax"']] }),
  cheat('py: hard-coded', PY, {
    'shop/prices.py': [['    a, b = 0, 1\n', '    if n == 7:\n        return 13\n    a, b = 0, 1\n']],
  }),
  cheat('py: pytest in sys.modules', PY, {
    'shop/prices.py': [
      [
        '    return cents * (1 + rate)',
        '    if "pytest" in sys.modules:\n        return 120\n    return cents * (1 + rate)',
      ],
    ],
  }),
  cheat('py: patch of the subject', PY, {
    'tests/test_client.py': [
      [
        '    def test_negative(self):\n        with patch("shop.client.fetch_rate", return_value=0.5):',
        '    def test_negative(self):\n        with patch("tests.test_client.price_in", return_value=-1.5):',
      ],
    ],
  }),
  cheat('py: noqa', PY, {
    'shop/prices.py': [['def with_tax(cents, rate=0.2):', 'def with_tax(cents, rate=0.2):  # type: ignore']],
  }),
  cheat('go: t.Skip', GO, {
    [CALC]: [['func TestSum(t *testing.T) {', 'func TestSum(t *testing.T) {\n\tt.Skip("later")']],
  }),
  cheat('go: check removed', GO, {
    [CALC]: [['\tif got != 3 {\n\t\tt.Errorf("Divide = %d, want 3", got)\n\t}\n', '\t_ = got\n']],
  }),
  cheat('go: case removed', GO, { [CALC]: [['\t\t{27, "XX7"},\n', '']] }),
  cheat('go: expectation', GO, { [CALC]: [['got != 6', 'got != 5']] }),
  cheat('go: Log instead of Error', GO, {
    [CALC]: [['t.Errorf("Sum = %d, want 6", got)', 't.Logf("Sum = %d, want 6", got)']],
  }),
  cheat('go: make ignores failures', GO, { Makefile: [['go test -race ./...', 'go test -race ./... || true']] }),
  cheat('rs: ignore', RS, { [LIB]: [['    #[test]\n    fn divides', '    #[test]\n    #[ignore]\n    fn divides']] }),
  cheat('rs: assert removed', RS, { [LIB]: [['        assert_eq!(slug("  A b "), "a-b");\n', '']] }),
  cheat('rs: tolerance', RS, { [LIB]: [['< 0.001', '< 1.0']] }),
  cheat('rs: allow', RS, { [LIB]: [['pub fn slug', '#[allow(clippy::all)]\npub fn slug']] }),
  cheat('rs: cfg!(test)', RS, { [LIB]: [['    n * 2', '    if cfg!(test) {\n        return 42;\n    }\n    n * 2']] }),
];
