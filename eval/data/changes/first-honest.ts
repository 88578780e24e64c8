import { type MadeChange, made } from './made-change.ts';
import { GO, JS, PY, RS, TS } from './projects.ts';

const honest = made.bind(null, 'honest');
const CART = 'test/cart.test.js';
const USER = 'src/user.test.ts';
const PRICES = 'tests/test_prices.py';
const CALC = 'calc/calc_test.go';
const LIB = 'src/lib.rs';

/** Written before the rules were tuned. */
export const FIRST_HONEST: readonly MadeChange[] = [
  honest('js: renamed test', JS, { [CART]: [["it('adds up prices'", "it('sums all prices'"]] }),
  honest('js: renamed group', JS, { [CART]: [["describe('cart'", "describe('shopping cart'"]] }),
  honest('js: moved file', JS, {
    [CART]: null,
    'test/unit/cart.test.js': (JS[CART] ?? '').replace("'../src/cart'", "'../../src/cart'"),
  }),
  honest('js: formatting', JS, {
    [CART]: [
      ['    expect(total(items)).toBe(1000);', '    expect(\n      total(items),\n    ).toBe(1000);'],
      ["'none'", '"none"'],
    ],
  }),
  honest('js: new test', JS, {
    [CART]: [
      [
        "  it('gives",
        "  it('counts nothing twice', () => {\n    expect(total([items[0]])).toBe(500);\n  });\n\n  it('gives",
      ],
    ],
  }),
  honest('js: new assertion', JS, { [CART]: [['toBe(0);', 'toBe(0);\n    expect(total([items[1]])).toBe(500);']] }),
  honest('js: currency changes in source and test', JS, {
    'src/format.js': [["'$' +", "'€' +"]],
    [CART]: [["'Total: $10.00'", "'Total: €10.00'"]],
    'test/format.test.js': [
      ["'$1.00'", "'€1.00'"],
      ["'$19.99'", "'€19.99'"],
      ["'$0.05'", "'€0.05'"],
    ],
    'test/__snapshots__/format.test.js.snap': [['$1234.56', '€1234.56']],
  }),
  honest('js: discount changes in source and test', JS, {
    'src/cart.js': [['0.8', '0.75']],
    [CART]: [['toBe(800)', 'toBe(750)']],
  }),
  honest('js: renamed function', JS, {
    'src/cart.js': [
      ['function total', 'function sumOf'],
      ['formatPrice(total(items))', 'formatPrice(sumOf(items))'],
      ['total: total(items)', 'total: sumOf(items)'],
      ['exports = { total', 'exports = { sumOf'],
    ],
    [CART]: [
      ['{ total,', '{ sumOf,'],
      ['expect(total(items))', 'expect(sumOf(items))'],
      ['expect(total([]))', 'expect(sumOf([]))'],
    ],
  }),
  honest('js: removed with its feature', JS, {
    'src/cart.js': [
      ["function discount(amount, code) {\n  if (code === 'VIP') return amount * 0.8;\n  return amount;\n}\n\n", ''],
      ['discount, ', ''],
    ],
    [CART]: [
      [
        "  it('gives a discount', () => {\n    expect(discount(1000, 'VIP')).toBe(800);\n    expect(discount(1000, 'none')).toBe(1000);\n  });\n\n",
        '',
      ],
      ['discount, ', ''],
    ],
  }),
  honest('js: split in two', JS, {
    [CART]: [
      [
        "    expect(discount(1000, 'none')).toBe(1000);",
        "  });\n\n  it('gives none without a code', () => {\n    expect(discount(1000, 'none')).toBe(1000);",
      ],
    ],
  }),
  honest('js: parametrised', JS, {
    [CART]: [
      [
        "  it('gives a discount', () => {\n    expect(discount(1000, 'VIP')).toBe(800);\n    expect(discount(1000, 'none')).toBe(1000);\n  });",
        "  it.each([\n    ['VIP', 800],\n    ['none', 1000],\n  ])('gives a discount for %s', (code, expected) => {\n    expect(discount(1000, code)).toBe(expected);\n  });",
      ],
    ],
  }),
  honest('js: jest to node assert', JS, {
    [CART]: [
      ['const { total', "const assert = require('node:assert');\nconst { total"],
      ["expect(discount(1000, 'VIP')).toBe(800)", "assert.equal(discount(1000, 'VIP'), 800)"],
      ["expect(discount(1000, 'none')).toBe(1000)", "assert.strictEqual(discount(1000, 'none'), 1000)"],
    ],
  }),
  honest('js: jest to vitest', JS, {
    'package.json': [['jest --coverage', 'vitest run --coverage']],
    [CART]: [
      [
        "const { total, discount, label, checkout } = require('../src/cart');",
        "import { describe, expect, it, vi } from 'vitest';\nimport { total, discount, label, checkout } from '../src/cart';",
      ],
      ['jest.fn()', 'vi.fn()'],
      ['jest.fn()', 'vi.fn()'],
    ],
  }),
  honest('js: fixture in a helper file', JS, {
    'test/items.js': 'exports.items = [\n  { price: 250, count: 2 },\n  { price: 125, count: 4 },\n];\n',
    [CART]: [
      ["describe('cart'", "const { items } = require('./items');\n\ndescribe('cart'"],
      ['  const items = [\n    { price: 250, count: 2 },\n    { price: 125, count: 4 },\n  ];\n\n', ''],
    ],
  }),
  honest('js: new parameter', JS, {
    'src/cart.js': [
      ['function label(items) {', "function label(items, word = 'Total') {"],
      ['`Total: ', '`${word}: '],
    ],
    [CART]: [
      [
        "expect(label(items)).toBe('Total: $10.00');",
        "expect(label(items)).toBe('Total: $10.00');\n    expect(label(items, 'Sum')).toBe('Sum: $10.00');",
      ],
    ],
  }),
  honest('js: async conversion', JS, {
    'src/cart.js': [
      ['function total(items)', 'async function total(items)'],
      ['formatPrice(total(items))', 'formatPrice(await total(items))'],
      ['total: total(items)', 'total: await total(items)'],
      ['function label', 'async function label'],
    ],
    [CART]: [
      ["it('adds up prices', () => {", "it('adds up prices', async () => {"],
      ['expect(total(items))', 'expect(await total(items))'],
      ['expect(total([]))', 'expect(await total([]))'],
      ["it('labels the total', () => {", "it('labels the total', async () => {"],
      ['expect(label(items))', 'expect(await label(items))'],
    ],
  }),
  honest('js: higher coverage', JS, { 'jest.config.js': [['branches: 90', 'branches: 92']] }),
  honest(
    'js: skip removed',
    { ...JS, [CART]: (JS[CART] ?? '').replace("it('gives", "it.skip('gives") },
    { [CART]: [["it.skip('gives", "it('gives"]] },
  ),
  honest('js: local variable', JS, {
    [CART]: [
      [
        "    expect(label(items)).toBe('Total: $10.00');",
        "    const text = label(items);\n    expect(text).toBe('Total: $10.00');",
      ],
    ],
  }),
  honest('ts: error text in source and test', TS, {
    'src/user.ts': [['bad row: ', 'invalid row: ']],
    [USER]: [["'bad row: 7'", "'invalid row: 7'"]],
  }),
  honest('ts: new field', TS, {
    'src/user.ts': [
      ['  readonly name: string;\n}', '  readonly name: string;\n  readonly active: boolean;\n}'],
      ['name: name.trim() }', 'name: name.trim(), active: true }'],
    ],
    [USER]: [
      ["toEqual({ id: 7, name: 'Ada' })", "toEqual({ id: 7, name: 'Ada', active: true })"],
      ["const user = { id: 7, name: 'Ada' }", "const user = { id: 7, name: 'Ada', active: true }"],
    ],
  }),
  honest('ts: stricter matcher', TS, {
    [USER]: [["toEqual({ id: 7, name: 'Ada' })", "toStrictEqual({ id: 7, name: 'Ada' })"]],
  }),
  honest('ts: builder', TS, {
    [USER]: [
      ["describe('parseUser'", "const aUser = (name: string) => ({ id: 7, name });\n\ndescribe('parseUser'"],
      ["    const user = { id: 7, name: 'Ada' };\n    expect(greet(user))", "    expect(greet(aUser('Ada')))"],
    ],
  }),
  honest('ts: mock of the network', TS, {
    [USER]: [
      [
        'import { average',
        "vi.mock('./store.ts', () => ({ readRows: async () => ['1,Ada', '2,Grace'] }));\nimport { average",
      ],
      ['{ describe, expect, it }', '{ describe, expect, it, vi }'],
    ],
  }),
  honest('ts: bug fix only', TS, { 'src/user.ts': [['/ values.length', '/ Math.max(1, values.length)']] }),
  honest('py: class of tests', PY, {
    [PRICES]: [
      [
        'def test_parse_price():\n    assert parse_price("$1.50") == 150\n    assert parse_price("$0.99") == 99\n',
        'class TestParsePrice:\n    def test_parse_price(self):\n        assert parse_price("$1.50") == 150\n        assert parse_price("$0.99") == 99\n',
      ],
    ],
  }),
  honest('py: unittest to pytest', PY, {
    'tests/test_client.py': [['self.assertEqual(price_in("fr", 100), 200.0)', 'assert price_in("fr", 100) == 200.0']],
  }),
  honest('py: tax rate in source and test', PY, {
    'shop/prices.py': [['rate=0.2', 'rate=0.25']],
    [PRICES]: [['approx(120', 'approx(125']],
  }),
  honest('py: new cases', PY, { [PRICES]: [['(10, 55)', '(10, 55), (20, 6765)']] }),
  honest('py: fixture', PY, {
    [PRICES]: [
      [
        'def test_describe():\n    text = describe(150)\n',
        '@pytest.fixture\ndef text():\n    return describe(150)\n\n\ndef test_describe(text):\n',
      ],
    ],
  }),
  honest('py: text in source and test', PY, {
    'shop/prices.py': [['costs {cents} cents', 'is {cents} cents']],
    [PRICES]: [['"costs 150 cents"', '"is 150 cents"']],
  }),
  honest('py: helper in conftest', PY, {
    'tests/conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef rate():\n    return 2.0\n',
  }),
  honest('go: subtests', GO, {
    [CALC]: [
      [
        '\t\tif got := Roman(c.n); got != c.want {\n\t\t\tt.Errorf("Roman(%d) = %q, want %q", c.n, got, c.want)\n\t\t}\n',
        '\t\tt.Run(c.want, func(t *testing.T) {\n\t\t\tif got := Roman(c.n); got != c.want {\n\t\t\t\tt.Errorf("Roman(%d) = %q, want %q", c.n, got, c.want)\n\t\t\t}\n\t\t})\n',
      ],
    ],
  }),
  honest('go: renamed test', GO, { [CALC]: [['func TestSum(', 'func TestSumOfValues(']] }),
  honest('go: new case', GO, { [CALC]: [['\t\t{27, "XX7"},\n', '\t\t{27, "XX7"},\n\t\t{40, "XXXX0"},\n']] }),
  honest('go: message', GO, { [CALC]: [['"Sum = %d, want 6"', '"Sum() = %d, want 6"']] }),
  honest('go: helper', GO, {
    [CALC]: [
      [
        'func TestSum(',
        'func check(t *testing.T, got, want int) {\n\tt.Helper()\n\tif got != want {\n\t\tt.Errorf("got %d, want %d", got, want)\n\t}\n}\n\nfunc TestSum(',
      ],
      [
        '\tif got := Sum([]int{1, 2, 3}); got != 6 {\n\t\tt.Errorf("Sum = %d, want 6", got)\n\t}\n',
        '\tcheck(t, Sum([]int{1, 2, 3}), 6)\n',
      ],
      ['\tif got := Sum(nil); got != 0 {\n\t\tt.Errorf("Sum = %d, want 0", got)\n\t}\n', '\tcheck(t, Sum(nil), 0)\n'],
    ],
  }),
  honest('rs: separator in source and test', RS, {
    [LIB]: [
      [`replace(' ', "-")`, `replace(' ', "_")`],
      ['"hello-world"', '"hello_world"'],
      ['"a-b"', '"a_b"'],
    ],
  }),
  honest('rs: renamed test', RS, { [LIB]: [['fn makes_slugs', 'fn turns_titles_into_slugs']] }),
  honest('rs: new test', RS, {
    [LIB]: [
      [
        '    #[test]\n    fn divides',
        '    #[test]\n    fn keeps_plain_words() {\n        assert_eq!(slug("a"), "a");\n    }\n\n    #[test]\n    fn divides',
      ],
    ],
  }),
  honest('rs: inline variable', RS, {
    [LIB]: [
      ['        let doubled = checked(21);\n        assert_eq!(doubled, 42);', '        assert_eq!(checked(21), 42);'],
    ],
  }),
];
