/** Small projects that the made changes start from: files by path. */
export type Project = Readonly<Record<string, string>>;

export const JS: Project = {
  'package.json': `{
  "name": "shop",
  "scripts": {
    "test": "jest --coverage",
    "lint": "eslint . --max-warnings 0"
  }
}
`,
  'jest.config.js': `module.exports = {
  testTimeout: 5000,
  coverageThreshold: { global: { branches: 90, lines: 95 } },
};
`,
  'src/cart.js': `const { formatPrice } = require('./format');

function total(items) {
  return items.reduce((sum, item) => sum + item.price * item.count, 0);
}

function discount(amount, code) {
  if (code === 'VIP') return amount * 0.8;
  return amount;
}

function label(items) {
  return \`Total: \${formatPrice(total(items))}\`;
}

async function checkout(items, send) {
  if (items.length === 0) throw new Error('empty cart');
  const answer = await send({ total: total(items) });
  return answer.id;
}

module.exports = { total, discount, label, checkout };
`,
  'src/format.js': `function formatPrice(cents) {
  return '$' + (cents / 100).toFixed(2);
}

module.exports = { formatPrice };
`,
  'test/cart.test.js': `const { total, discount, label, checkout } = require('../src/cart');

describe('cart', () => {
  const items = [
    { price: 250, count: 2 },
    { price: 125, count: 4 },
  ];

  it('adds up prices', () => {
    expect(total(items)).toBe(1000);
    expect(total([])).toBe(0);
  });

  it('gives a discount', () => {
    expect(discount(1000, 'VIP')).toBe(800);
    expect(discount(1000, 'none')).toBe(1000);
  });

  it('labels the total', () => {
    expect(label(items)).toBe('Total: $10.00');
  });

  it('sends the total', async () => {
    const send = jest.fn().mockResolvedValue({ id: 'o-17' });
    expect(await checkout(items, send)).toBe('o-17');
    expect(send).toHaveBeenCalledWith({ total: 1000 });
  });

  it('refuses an empty cart', async () => {
    await expect(checkout([], jest.fn())).rejects.toThrow('empty cart');
  });
});
`,
  'test/format.test.js': `const { formatPrice } = require('../src/format');

test.each([
  [100, '$1.00'],
  [1999, '$19.99'],
  [5, '$0.05'],
])('formats %i', (cents, text) => {
  expect(formatPrice(cents)).toBe(text);
});

test('matches the snapshot', () => {
  expect(formatPrice(123456)).toMatchSnapshot();
});
`,
  'test/__snapshots__/format.test.js.snap': `// Jest Snapshot v1

exports[\`matches the snapshot 1\`] = \`"$1234.56"\`;
`,
};

export const TS: Project = {
  'package.json': `{
  "type": "module",
  "scripts": { "test": "vitest run", "types": "tsc --noEmit" }
}
`,
  'vitest.config.ts': `import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    coverage: { thresholds: { statements: 85, functions: 80 } },
  },
});
`,
  'tsconfig.json': `{ "compilerOptions": { "strict": true } }
`,
  'src/user.ts': `import { readRows } from './store.ts';

export interface User {
  readonly id: number;
  readonly name: string;
}

export function parseUser(row: string): User {
  const [id, name] = row.split(',');
  if (id === undefined || name === undefined) throw new RangeError(\`bad row: \${row}\`);
  return { id: Number(id), name: name.trim() };
}

export function greet(user: User): string {
  return \`Hello, \${user.name}!\`;
}

export function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export async function loadUsers(): Promise<readonly User[]> {
  return (await readRows()).map(parseUser);
}
`,
  'src/store.ts': `export async function readRows(): Promise<readonly string[]> {
  return ['1,Ada', '2,Grace'];
}
`,
  'src/user.test.ts': `import { describe, expect, it } from 'vitest';
import { average, greet, loadUsers, parseUser } from './user.ts';

describe('parseUser', () => {
  it('reads id and name', () => {
    expect(parseUser('7, Ada')).toEqual({ id: 7, name: 'Ada' });
  });

  it('refuses a row without a name', () => {
    expect(() => parseUser('7')).toThrow('bad row: 7');
  });
});

describe('greet', () => {
  it('names the user', () => {
    const user = { id: 7, name: 'Ada' };
    expect(greet(user)).toBe('Hello, Ada!');
  });
});

it('averages', () => {
  expect(average([1, 2, 4])).toBeCloseTo(2.3333, 4);
});

it('loads all users', async () => {
  const users = await loadUsers();
  expect(users).toHaveLength(2);
  expect(users[1]?.name).toBe('Grace');
});
`,
};

export const PY: Project = {
  'setup.cfg': `[tool:pytest]
addopts = -ra
testpaths = tests

[coverage:report]
fail_under = 90
`,
  'tox.ini': `[testenv]
commands = pytest --cov=shop {posargs}
`,
  'shop/prices.py': `class PriceError(ValueError):
    pass


def parse_price(text):
    if not text.startswith("$"):
        raise PriceError(f"no price: {text}")
    return round(float(text[1:]) * 100)


def with_tax(cents, rate=0.2):
    return cents * (1 + rate)


def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def describe(cents):
    return f"costs {cents} cents"
`,
  'shop/client.py': `import urllib.request


def fetch_rate(country):
    with urllib.request.urlopen(f"https://rates.example/{country}") as answer:
        return float(answer.read())


def price_in(country, cents):
    return cents * fetch_rate(country)
`,
  'tests/test_prices.py': `import pytest

from shop.prices import PriceError, describe, fib, parse_price, with_tax


def test_parse_price():
    assert parse_price("$1.50") == 150
    assert parse_price("$0.99") == 99


def test_parse_price_refuses_text():
    with pytest.raises(PriceError, match="no price: x"):
        parse_price("x")


def test_with_tax():
    assert with_tax(100) == pytest.approx(120, abs=0.01)
    assert with_tax(100, rate=0) == 100


@pytest.mark.parametrize("n, expected", [(0, 0), (1, 1), (7, 13), (10, 55)])
def test_fib(n, expected):
    assert fib(n) == expected


def test_describe():
    text = describe(150)
    assert text == "costs 150 cents"
`,
  'tests/test_client.py': `import unittest
from unittest.mock import patch

from shop.client import price_in


class ClientTest(unittest.TestCase):
    @patch("shop.client.fetch_rate", return_value=2.0)
    def test_price_in(self, fetch_rate):
        self.assertEqual(price_in("fr", 100), 200.0)
        fetch_rate.assert_called_once_with("fr")

    def test_negative(self):
        with patch("shop.client.fetch_rate", return_value=0.5):
            self.assertAlmostEqual(price_in("de", -3), -1.5, places=6)
`,
};

export const GO: Project = {
  Makefile: `test:
	go test -race ./...

lint:
	golangci-lint run
`,
  'calc/calc.go': `package calc

import (
	"errors"
	"strconv"
)

var ErrZero = errors.New("division by zero")

func Sum(values []int) int {
	total := 0
	for _, value := range values {
		total += value
	}
	return total
}

func Divide(a, b int) (int, error) {
	if b == 0 {
		return 0, ErrZero
	}
	return a / b, nil
}

func Roman(n int) string {
	out := ""
	for n >= 10 {
		out += "X"
		n -= 10
	}
	return out + strconv.Itoa(n)
}
`,
  'calc/calc_test.go': `package calc

import (
	"errors"
	"testing"
)

func TestSum(t *testing.T) {
	if got := Sum([]int{1, 2, 3}); got != 6 {
		t.Errorf("Sum = %d, want 6", got)
	}
	if got := Sum(nil); got != 0 {
		t.Errorf("Sum = %d, want 0", got)
	}
}

func TestDivide(t *testing.T) {
	got, err := Divide(12, 4)
	if err != nil {
		t.Fatal(err)
	}
	if got != 3 {
		t.Errorf("Divide = %d, want 3", got)
	}
	if _, err := Divide(1, 0); !errors.Is(err, ErrZero) {
		t.Errorf("err = %v", err)
	}
}

func TestRoman(t *testing.T) {
	cases := []struct {
		n    int
		want string
	}{
		{3, "3"},
		{12, "X2"},
		{27, "XX7"},
	}
	for _, c := range cases {
		if got := Roman(c.n); got != c.want {
			t.Errorf("Roman(%d) = %q, want %q", c.n, got, c.want)
		}
	}
}
`,
};

export const RS: Project = {
  'Cargo.toml': `[package]
name = "text"
version = "0.1.0"
`,
  'src/lib.rs': `pub fn slug(text: &str) -> String {
    text.trim().to_lowercase().replace(' ', "-")
}

pub fn ratio(part: f64, whole: f64) -> f64 {
    part / whole
}

pub fn parse(text: &str) -> Result<i32, String> {
    text.parse().map_err(|_| format!("no number: {text}"))
}

pub fn checked(n: i32) -> i32 {
    if n < 0 {
        panic!("negative");
    }
    n * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_slugs() {
        assert_eq!(slug("Hello World"), "hello-world");
        assert_eq!(slug("  A b "), "a-b");
    }

    #[test]
    fn divides() {
        assert!((ratio(1.0, 3.0) - 0.3333).abs() < 0.001);
    }

    #[test]
    fn parses_numbers() {
        assert_eq!(parse("42"), Ok(42));
        assert!(parse("x").is_err());
    }

    #[test]
    #[should_panic(expected = "negative")]
    fn refuses_negative_numbers() {
        checked(-1);
    }

    #[test]
    fn doubles() {
        let doubled = checked(21);
        assert_eq!(doubled, 42);
    }
}
`,
};
