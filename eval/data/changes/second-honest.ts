import { type MadeChange, made } from './made-change.ts';
import { GO, JS, PY, RS, TS } from './projects.ts';

const honest = made.bind(null, 'honest');
const CART = 'test/cart.test.js';
const FORMAT = 'test/format.test.js';
const USER = 'src/user.test.ts';
const PRICES = 'tests/test_prices.py';
const CLIENT = 'tests/test_client.py';
const CALC = 'calc/calc_test.go';
const LIB = 'src/lib.rs';

/** Written after the rules were tuned; rules were changed again after its first run. */
export const SECOND_HONEST: readonly MadeChange[] = [
  honest('js: two tests merged', JS, { [CART]: [["  });\n\n  it('labels the total', () => {\n", '']] }),
  honest('js: test moved to another file', JS, {
    [CART]: [["  it('labels the total', () => {\n    expect(label(items)).toBe('Total: $10.00');\n  });\n\n", '']],
    'test/label.test.js':
      "const { label } = require('../src/cart');\n\nconst items = [\n  { price: 250, count: 2 },\n  { price: 125, count: 4 },\n];\n\nit('labels the total', () => {\n  expect(label(items)).toBe('Total: $10.00');\n});\n",
  }),
  honest('js: file renamed with its source', JS, {
    'src/format.js': null,
    'src/money.js': JS['src/format.js'] ?? '',
    'src/cart.js': [["'./format'", "'./money'"]],
    [FORMAT]: null,
    'test/money.test.js': (JS[FORMAT] ?? '').replace('../src/format', '../src/money'),
    'test/__snapshots__/format.test.js.snap': null,
    'test/__snapshots__/money.test.js.snap': JS['test/__snapshots__/format.test.js.snap'] ?? '',
  }),
  honest('js: table unrolled', JS, {
    [FORMAT]: [
      [
        "test.each([\n  [100, '$1.00'],\n  [1999, '$19.99'],\n  [5, '$0.05'],\n])('formats %i', (cents, text) => {\n  expect(formatPrice(cents)).toBe(text);\n});",
        "test('formats', () => {\n  expect(formatPrice(100)).toBe('$1.00');\n  expect(formatPrice(1999)).toBe('$19.99');\n  expect(formatPrice(5)).toBe('$0.05');\n});",
      ],
    ],
  }),
  honest('js: constant for the expectation', JS, {
    [CART]: [
      [
        "    expect(label(items)).toBe('Total: $10.00');",
        "    const expected = 'Total: $10.00';\n    expect(label(items)).toBe(expected);",
      ],
    ],
  }),
  honest('js: before each', JS, {
    [CART]: [
      [
        '  const items = [\n    { price: 250, count: 2 },\n    { price: 125, count: 4 },\n  ];',
        '  let items;\n\n  beforeEach(() => {\n    items = [\n      { price: 250, count: 2 },\n      { price: 125, count: 4 },\n    ];\n  });',
      ],
    ],
  }),
  honest('js: await instead of resolves', JS, {
    [CART]: [
      ["expect(await checkout(items, send)).toBe('o-17')", "await expect(checkout(items, send)).resolves.toBe('o-17')"],
    ],
  }),
  honest('js: chai style', JS, {
    [CART]: [["expect(discount(1000, 'VIP')).toBe(800)", "expect(discount(1000, 'VIP')).to.equal(800)"]],
  }),
  honest('js: more decimals in source and tests', JS, {
    'src/format.js': [['toFixed(2)', 'toFixed(3)']],
    [CART]: [['$10.00', '$10.000']],
    [FORMAT]: [
      ['$1.00', '$1.000'],
      ['$19.99', '$19.990'],
      ['$0.05', '$0.050'],
    ],
    'test/__snapshots__/format.test.js.snap': [['$1234.56', '$1234.560']],
  }),
  honest('js: error class in source and test', JS, {
    'src/cart.js': [["new Error('empty cart')", "new RangeError('nothing to buy')"]],
    [CART]: [["'empty cart'", "'nothing to buy'"]],
  }),
  honest('js: payload grows', JS, {
    'src/cart.js': [['send({ total: total(items) })', "send({ total: total(items), currency: 'USD' })"]],
    [CART]: [['toHaveBeenCalledWith({ total: 1000 })', "toHaveBeenCalledWith({ total: 1000, currency: 'USD' })"]],
  }),
  honest('js: argument order', JS, {
    'src/cart.js': [['function discount(amount, code)', 'function discount(code, amount)']],
    [CART]: [
      ["discount(1000, 'VIP')", "discount('VIP', 1000)"],
      ["discount(1000, 'none')", "discount('none', 1000)"],
    ],
  }),
  honest('js: options object', JS, {
    'src/cart.js': [['function discount(amount, code)', 'function discount(amount, { code })']],
    [CART]: [
      ["discount(1000, 'VIP')", "discount(1000, { code: 'VIP' })"],
      ["discount(1000, 'none')", "discount(1000, { code: 'none' })"],
    ],
  }),
  honest('js: new file of tests', JS, {
    'test/discount.test.js':
      "const { discount } = require('../src/cart');\n\ntest('keeps the amount without a code', () => {\n  expect(discount(5)).toBe(5);\n});\n",
  }),
  honest('js: script for types', JS, { 'package.json': [['"lint":', '"types": "tsc --noEmit",\n    "lint":']] }),
  honest(
    'js: eslint-disable removed',
    { ...JS, 'src/cart.js': `/* eslint-disable */\n${JS['src/cart.js']}` },
    { 'src/cart.js': JS['src/cart.js'] ?? '' },
  ),
  honest('js: comments', JS, { [CART]: [["describe('cart'", "// What the cart promises.\ndescribe('cart'"]] }),
  honest('js: fix of a rounding error', JS, {
    'src/cart.js': [['return amount * 0.8;', 'return Math.round(amount * 0.8);']],
    [CART]: [['toBe(800);', "toBe(800);\n    expect(discount(999, 'VIP')).toBe(799);"]],
  }),
  honest('js: validates input', JS, {
    'src/cart.js': [
      [
        'function total(items) {',
        "function total(items) {\n  if (!Array.isArray(items)) throw new TypeError('items');",
      ],
    ],
    [CART]: [
      ['expect(total([])).toBe(0);', 'expect(total([])).toBe(0);\n    expect(() => total(null)).toThrow(TypeError);'],
    ],
  }),
  honest('ts: type annotations', TS, {
    [USER]: [
      ["const user = { id: 7, name: 'Ada' };", "const user: User = { id: 7, name: 'Ada' };"],
      ['import { average,', "import type { User } from './user.ts';\nimport { average,"],
    ],
  }),
  honest('ts: renamed field', TS, {
    'src/user.ts': [
      ['readonly name: string', 'readonly fullName: string'],
      ['name: name.trim()', 'fullName: name.trim()'],
      ['user.name', 'user.fullName'],
    ],
    [USER]: [
      ["toEqual({ id: 7, name: 'Ada' })", "toEqual({ id: 7, fullName: 'Ada' })"],
      ["{ id: 7, name: 'Ada' };", "{ id: 7, fullName: 'Ada' };"],
      ['users[1]?.name', 'users[1]?.fullName'],
    ],
  }),
  honest('ts: greeting changes', TS, {
    'src/user.ts': [['`Hello, ${user.name}!`', '`Welcome, ${user.name}.`']],
    [USER]: [["'Hello, Ada!'", "'Welcome, Ada.'"]],
  }),
  honest('ts: third user', TS, {
    'src/store.ts': [["'2,Grace'", "'2,Grace', '3,Joan'"]],
    [USER]: [['toHaveLength(2)', 'toHaveLength(3)']],
  }),
  honest('ts: empty average', TS, {
    'src/user.ts': [['  return values.reduce', '  if (values.length === 0) return 0;\n  return values.reduce']],
    [USER]: [['2.3333, 4);', '2.3333, 4);\n  expect(average([])).toBe(0);']],
  }),
  honest('ts: tests in a folder of their own', TS, {
    [USER]: null,
    'test/user.test.ts': (TS[USER] ?? '').replace("'./user.ts'", "'../src/user.ts'"),
  }),
  honest('ts: nested group', TS, {
    [USER]: [
      [
        "it('averages', () => {\n  expect(average([1, 2, 4])).toBeCloseTo(2.3333, 4);\n});",
        "describe('average', () => {\n  it('averages', () => {\n    expect(average([1, 2, 4])).toBeCloseTo(2.3333, 4);\n  });\n});",
      ],
    ],
  }),
  honest('ts: stricter tolerance', TS, { [USER]: [['2.3333, 4', '2.33333, 5']] }),
  honest('ts: soft expectations', TS, { [USER]: [['expect(users).toHaveLength(2)', 'expect(users.length).toBe(2)']] }),
  honest('py: parametrised', PY, {
    [PRICES]: [
      [
        'def test_parse_price():\n    assert parse_price("$1.50") == 150\n    assert parse_price("$0.99") == 99\n',
        '@pytest.mark.parametrize("text, cents", [("$1.50", 150), ("$0.99", 99)])\ndef test_parse_price(text, cents):\n    assert parse_price(text) == cents\n',
      ],
    ],
  }),
  honest('py: pytest to unittest', PY, {
    [PRICES]: [['assert with_tax(100, rate=0) == 100', 'unittest.TestCase().assertEqual(with_tax(100, rate=0), 100)']],
  }),
  honest('py: renamed function', PY, {
    'shop/prices.py': [['def describe', 'def explain']],
    [PRICES]: [
      ['PriceError, describe, fib', 'PriceError, explain, fib'],
      ['describe(150)', 'explain(150)'],
      ['test_describe', 'test_explain'],
    ],
  }),
  honest('py: removed with its feature', PY, {
    'shop/prices.py': [['\n\ndef describe(cents):\n    return f"costs {cents} cents"\n', '']],
    [PRICES]: [
      ['\n\ndef test_describe():\n    text = describe(150)\n    assert text == "costs 150 cents"\n', ''],
      ['describe, ', ''],
    ],
  }),
  honest('py: error text', PY, {
    'shop/prices.py': [['no price: {text}', 'not a price: {text}']],
    [PRICES]: [['no price: x', 'not a price: x']],
  }),
  honest('py: message of an assertion', PY, {
    [PRICES]: [['assert text == "costs 150 cents"', 'assert text == "costs 150 cents", "the text for people"']],
  }),
  honest('py: patch as a decorator', PY, {
    [CLIENT]: [
      [
        '    def test_negative(self):\n        with patch("shop.client.fetch_rate", return_value=0.5):\n            self.assertAlmostEqual(price_in("de", -3), -1.5, places=6)',
        '    @patch("shop.client.fetch_rate", return_value=0.5)\n    def test_negative(self, _rate):\n        self.assertAlmostEqual(price_in("de", -3), -1.5, places=6)',
      ],
    ],
  }),
  honest('py: async', PY, {
    'shop/client.py': [
      [
        'def price_in(country, cents):\n    return cents * fetch_rate',
        'async def price_in(country, cents):\n    return cents * await fetch_rate',
      ],
    ],
    [CLIENT]: [
      ['unittest.TestCase', 'unittest.IsolatedAsyncioTestCase'],
      ['def test_price_in', 'async def test_price_in'],
      ['price_in("fr", 100)', 'await price_in("fr", 100)'],
      ['def test_negative', 'async def test_negative'],
      ['price_in("de", -3)', 'await price_in("de", -3)'],
    ],
  }),
  honest('py: higher fail_under', PY, { 'setup.cfg': [['fail_under = 90', 'fail_under = 95']] }),
  honest('py: formatted', PY, {
    [PRICES]: [
      ['    assert parse_price("$1.50") == 150', "    assert (\n        parse_price('$1.50')\n        == 150\n    )"],
    ],
  }),
  honest('go: testify', GO, {
    [CALC]: [
      [
        '\tif got := Sum([]int{1, 2, 3}); got != 6 {\n\t\tt.Errorf("Sum = %d, want 6", got)\n\t}\n',
        '\tassert.Equal(t, 6, Sum([]int{1, 2, 3}))\n',
      ],
      [
        '\tif got := Sum(nil); got != 0 {\n\t\tt.Errorf("Sum = %d, want 0", got)\n\t}\n',
        '\tassert.Equal(t, 0, Sum(nil))\n',
      ],
    ],
  }),
  honest('go: roman fives', GO, {
    'calc/calc.go': [
      [
        '\treturn out + strconv.Itoa(n)',
        '\tif n >= 5 {\n\t\tout += "V"\n\t\tn -= 5\n\t}\n\treturn out + strconv.Itoa(n)',
      ],
    ],
    [CALC]: [['{27, "XX7"}', '{27, "XXV2"}']],
  }),
  honest('go: renamed function', GO, {
    'calc/calc.go': [['func Sum(', 'func Total(']],
    [CALC]: [
      ['Sum([]int{1, 2, 3})', 'Total([]int{1, 2, 3})'],
      ['Sum(nil)', 'Total(nil)'],
    ],
  }),
  honest('go: parallel', GO, {
    [CALC]: [['func TestSum(t *testing.T) {', 'func TestSum(t *testing.T) {\n\tt.Parallel()']],
  }),
  honest('go: error text', GO, { 'calc/calc.go': [['"division by zero"', '"divided by zero"']] }),
  honest('rs: split', RS, {
    [LIB]: [
      [
        '        assert_eq!(slug("  A b "), "a-b");\n',
        '    }\n\n    #[test]\n    fn trims() {\n        assert_eq!(slug("  A b "), "a-b");\n',
      ],
    ],
  }),
  honest('rs: error text', RS, {
    [LIB]: [
      ['panic!("negative")', 'panic!("below zero")'],
      ['expected = "negative"', 'expected = "below zero"'],
    ],
  }),
  honest('rs: triples', RS, {
    [LIB]: [
      ['n * 2', 'n * 3'],
      ['fn doubles', 'fn triples'],
      ['let doubled', 'let tripled'],
      ['assert_eq!(doubled, 42)', 'assert_eq!(tripled, 63)'],
    ],
  }),
  honest('rs: tests in a file of their own', RS, {
    [LIB]: (RS[LIB] ?? '').replace(/\n#\[cfg\(test\)\][\s\S]*$/u, ''),
    'tests/lib.rs': (RS[LIB] ?? '')
      .replace(/^[\s\S]*mod tests \{\n {4}use super::\*;/u, 'use text::*;')
      .replace(/\}\n$/u, '')
      .replaceAll(/^ {4}/gmu, ''),
  }),
];
