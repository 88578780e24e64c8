import type { Project } from './projects.ts';

/** Node's own runner, c8, and a Makefile. */
export const NODE: Project = {
  'package.json': `{
  "name": "queue",
  "type": "module",
  "scripts": { "test": "c8 node --test", "lint": "eslint . --max-warnings 0" },
  "devDependencies": { "c8": "10.0.0" }
}
`,
  '.c8rc.json': '{ "check-coverage": true, "lines": 90, "branches": 85 }\n',
  Makefile: 'all: lint unit\n\nlint:\n\tnpx eslint .\n\nunit:\n\tnode --test\n',
  'eslint.config.js': `export default [
  {
    rules: {
      'no-unused-vars': 'error',
      'no-undef': ['error', { typeof: true }],
    },
  },
];
`,
  'src/queue.js': `export class Queue {
  constructor(limit) {
    this.limit = limit;
    this.items = [];
  }

  push(item) {
    if (this.items.length >= this.limit) throw new RangeError('queue is full');
    this.items.push(item);
    return this.items.length;
  }

  async drain(write) {
    const done = [];
    for (const item of this.items) done.push(await write(item));
    this.items = [];
    return done;
  }
}

export function priority(item) {
  return item.urgent ? 10 : item.age + 1;
}
`,
  'test/queue.test.js': `import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { priority, Queue } from '../src/queue.js';

describe('Queue', () => {
  test('counts what is pushed', () => {
    const queue = new Queue(2);
    assert.equal(queue.push('a'), 1);
    assert.equal(queue.push('b'), 2);
  });

  test('refuses more than its limit', () => {
    const queue = new Queue(0);
    assert.throws(() => queue.push('a'), /queue is full/);
  });

  test('drains in order', async () => {
    const queue = new Queue(3);
    queue.push('a');
    queue.push('b');
    assert.deepEqual(await queue.drain(async (item) => item.toUpperCase()), ['A', 'B']);
    assert.equal(queue.items.length, 0);
  });

  test('fails when a write fails', async () => {
    const queue = new Queue(3);
    queue.push('a');
    await assert.rejects(queue.drain(async () => { throw new Error('disk'); }), /disk/);
  });
});

test('priority', () => {
  assert.equal(priority({ urgent: true }), 10);
  assert.equal(priority({ urgent: false, age: 4 }), 5);
});
`,
};

/** Mocha with chai and sinon, and AVA. */
export const MOCHA: Project = {
  'package.json': '{"scripts":{"test":"mocha && ava"},"ava":{"failFast":true}}\n',
  '.mocharc.yml': 'spec: "test/**/*.spec.js"\ntimeout: 2000\nforbid-only: true\n',
  'src/parser.js': `const http = require('./http');

exports.parse = function parse(text) {
  return text.split(',').map((part) => part.trim());
};

exports.load = async function load(url) {
  const body = await http.get(url);
  return exports.parse(body);
};
`,
  'src/http.js': 'exports.get = async (url) => (await fetch(url)).text();\n',
  'test/parser.spec.js': `const { expect } = require('chai');
const sinon = require('sinon');
const http = require('../src/http');
const parser = require('../src/parser');

describe('parser', function () {
  it('splits at commas', function () {
    expect(parser.parse('a, b')).to.deep.equal(['a', 'b']);
    expect(parser.parse('a')).to.have.lengthOf(1);
  });

  it('keeps empty parts', function () {
    expect(parser.parse('a,,b')).to.deep.equal(['a', '', 'b']);
  });

  it('loads over http', async function () {
    sinon.stub(http, 'get').resolves('x, y');
    const loaded = await parser.load('http://example.com');
    expect(loaded).to.eql(['x', 'y']);
    http.get.restore();
  });
});
`,
  'src/sum.mjs': 'export const sum = (...numbers) => numbers.reduce((a, b) => a + b, 0);\n',
  'test/sum.test.mjs': `import test from 'ava';
import { sum } from '../src/sum.mjs';

test('adds numbers', (t) => {
  t.is(sum(1, 2), 3);
  t.is(sum(), 0);
});

test('adds many', (t) => {
  t.deepEqual([sum(1), sum(1, 1)], [1, 2]);
  t.notThrows(() => sum(1, 2, 3));
});
`,
};

/** Playwright, Cypress and Jest in TypeScript. */
export const WEB: Project = {
  'playwright.config.ts': `import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  retries: 0,
  forbidOnly: true,
  expect: { toHaveScreenshot: { maxDiffPixels: 10 } },
});
`,
  'tsconfig.json':
    '{\n  "compilerOptions": {\n    "strict": true,\n    "noUncheckedIndexedAccess": true\n  },\n  "include": ["src", "e2e"]\n}\n',
  'vitest.config.ts': `import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['src/**/*.test.ts'], coverage: { thresholds: { lines: 92, functions: 90 } } },
});
`,
  'e2e/login.spec.ts': `import { expect, test } from '@playwright/test';

test.describe('login', () => {
  test('lets a user in', async ({ page }) => {
    await page.goto('/login');
    await page.fill('#name', 'ada');
    await page.click('.submit');
    await expect(page).toHaveURL('/home');
    await expect(page.locator('h1')).toHaveText('Welcome, Ada');
  });

  test('looks as designed', async ({ page }) => {
    await page.goto('/login');
    await expect(page).toHaveScreenshot('login.png');
  });
});
`,
  'cypress/e2e/cart.cy.js': `describe('cart', () => {
  beforeEach(() => {
    cy.visit('/cart');
  });

  it('shows the total', () => {
    cy.get('.add').click();
    cy.get('.total').should('have.text', '$10.00');
    cy.get('.items').should('have.length', 1);
  });

  it('can be emptied', () => {
    cy.get('.clear').click();
    cy.get('.empty').should('be.visible');
  });
});
`,
  'src/format.ts': `export function money(cents: number): string {
  return \`$\${(cents / 100).toFixed(2)}\`;
}

export function initials(name: string): string {
  return name.split(' ').map((part) => part[0]).join('');
}

export function parseLimit(text: string): number {
  return JSON.parse(text).limit;
}
`,
  'src/cart.jsx': `export function Cart({ items }) {
  return <p className="total">Total: {items.length}</p>;
}
`,
  'src/format.test.ts': `import { describe, expect, it, vi } from 'vitest';
import { initials, money, parseLimit } from './format';

describe('money', () => {
  it.each([
    [0, '$0.00'],
    [1250, '$12.50'],
    [999, '$9.99'],
  ])('formats %i', (cents, text) => {
    expect(money(cents)).toBe(text);
  });
});

describe('initials', () => {
  it('takes the first letters', () => {
    expect(initials('Ada Lovelace')).toMatchInlineSnapshot(\`"AL"\`);
  });

  it('gives nothing for nobody', () => {
    expect.assertions(1);
    expect(initials('')).toEqual('');
  });
});

it('reads a limit', () => {
  expect(parseLimit('{"limit": 5}')).toBe(5);
  expect(() => parseLimit('{')).toThrow(SyntaxError);
});
`,
  'src/__snapshots__/cart.test.jsx.snap': `// Jest Snapshot v1

exports[\`Cart shows the number 1\`] = \`
<p
  className="total"
>
  Total: 
  2
</p>
\`;
`,
  'src/cart.test.jsx': `import renderer from 'react-test-renderer';
import { Cart } from './cart';

test('Cart shows the number', () => {
  expect(renderer.create(<Cart items={[1, 2]} />).toJSON()).toMatchSnapshot();
});
`,
};

/** unittest, pytest with fixtures, hypothesis, tox and nox. */
export const SHOP: Project = {
  'pyproject.toml': `[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = "-ra --strict-markers"
xfail_strict = true
filterwarnings = ["error"]

[tool.coverage.report]
fail_under = 90
`,
  'tox.ini': '[testenv]\ndeps = pytest\ncommands =\n    pytest {posargs}\n    mypy shop\n',
  'noxfile.py':
    'import nox\n\n\n@nox.session\ndef tests(session):\n    session.install("pytest")\n    session.run("pytest", "-q")\n',
  'shop/rates.py': `RATES = {"EUR": 1.1, "GBP": 1.25}


def rate(currency):
    if currency not in RATES:
        raise KeyError(f"no rate for {currency}")
    return RATES[currency]


def convert(amount, currency):
    """Converts.

    >>> convert(10, "EUR")
    11.0
    """
    return round(amount * rate(currency), 2)
`,
  'shop/store.py': `import json


class Store:
    def __init__(self):
        self.items = {}

    def add(self, name, count):
        if count < 0:
            raise ValueError("count must not be negative")
        self.items[name] = self.items.get(name, 0) + count
        return self.items[name]

    def load(self, text):
        for name, count in json.loads(text).items():
            self.add(name, count)
`,
  'tests/conftest.py': `import pytest

from shop.store import Store


@pytest.fixture
def store():
    return Store()
`,
  'tests/test_rates.py': `import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shop.rates import convert, rate


@pytest.mark.parametrize("currency, expected", [("EUR", 1.1), ("GBP", 1.25)])
def test_rate(currency, expected):
    assert rate(currency) == expected


def test_unknown_rate():
    with pytest.raises(KeyError, match="no rate for XXX"):
        rate("XXX")


def test_convert_rounds():
    assert convert(10, "EUR") == pytest.approx(11.0, abs=0.001)
    assert convert(0, "GBP") == 0


@settings(max_examples=200)
@given(st.integers(min_value=0, max_value=10_000))
def test_convert_grows(amount):
    assert convert(amount, "GBP") >= amount
`,
  'tests/test_store.py': `import unittest

from shop.store import Store


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.store = Store()

    def test_add_counts(self):
        self.assertEqual(self.store.add("pen", 2), 2)
        self.assertEqual(self.store.add("pen", 3), 5)

    def test_add_refuses_negative(self):
        with self.assertRaises(ValueError):
            self.store.add("pen", -1)

    def test_load(self):
        self.store.load('{"pen": 4, "ink": 1}')
        self.assertEqual(self.store.items, {"pen": 4, "ink": 1})
        self.assertAlmostEqual(sum(self.store.items.values()) / 2, 2.5, places=5)


def test_store_is_empty(store):
    assert store.items == {}
`,
};
