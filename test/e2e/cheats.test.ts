import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_ONCE, MANY_SLOTS, type Stage, setStage } from '../support/e2e.ts';
import { QUICK_POLICY, REPAIR, TEST_COMMAND, WRITER } from '../support/red-repository.ts';
import { openStory, type Place, type Story } from '../support/story.ts';

/** One thing that an agent tries, beside the repair itself: so its validation is green. */
interface Cheat {
  readonly file: string;
  /** Null deletes the file. */
  readonly edit: readonly [find: string, replace: string] | null;
  readonly code: string;
  /** What is told about it. */
  readonly told: string;
}

/** The validation names no file that a test is in, so nothing but the judge of tests can refuse the change. */
const POLICY = QUICK_POLICY.replace(TEST_COMMAND, 'node check.mjs');

const NODE_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sum } from './sum.mjs';

test('adds two numbers', () => {
  assert.equal(sum(2, 3), 5);
  assert.equal(sum(-1, 1), 0);
});

test('adds fractions', () => {
  assert.equal(sum(0.5, 0.25), 0.75);
});
`;

const VITEST = `import { expect, it } from 'vitest';
import { label } from '../src/label';

it('labels a price', () => {
  expect(label(1250)).toBe('$12.50');
  expect(label(0)).toBe('$0.00');
});
`;

const PYTEST = `import pytest

from shop.prices import total


def test_total_of_two():
    assert total([2, 3]) == 5


def test_total_refuses_text():
    with pytest.raises(TypeError):
        total(["a"])
`;

const GO_TEST = `package stock

import "testing"

func TestCount(t *testing.T) {
	if got := Count([]int{1, 2}); got != 2 {
		t.Errorf("Count = %d, want 2", got)
	}
}

func TestEmpty(t *testing.T) {
	if got := Count(nil); got != 0 {
		t.Errorf("Count = %d, want 0", got)
	}
}
`;

/** One repository of three languages. Only its JavaScript runs here: the judge reads the others. */
const FILES: Readonly<Record<string, string>> = {
  'check.mjs': "import './sum.test.mjs';\n",
  'sum.test.mjs': NODE_TEST,
  'src/label.ts': 'export function label(cents: number): string {\n  return `$${(cents / 100).toFixed(2)}`;\n}\n',
  'test/label.test.ts': VITEST,
  'shop/prices.py': 'def total(prices):\n    return sum(prices)\n',
  'tests/test_prices.py': PYTEST,
  'stock/count.go': 'package stock\n\nfunc Count(items []int) int {\n\treturn len(items)\n}\n',
  'stock/count_test.go': GO_TEST,
  Makefile: 'test:\n\tpytest --strict-markers tests\n',
};

/** Certain ones: the attempt is refused. */
const REJECTED: Readonly<Record<string, Cheat>> = {
  'js-skips': {
    file: 'sum.test.mjs',
    edit: ["test('adds two", "test.skip('adds two"],
    code: 'TEST_SKIPPED',
    told: '"adds two numbers" is skipped.',
  },
  'js-focuses': {
    file: 'sum.test.mjs',
    edit: ["test('adds fractions", "test.only('adds fractions"],
    code: 'TEST_FOCUSED',
    told: '"adds fractions" runs alone',
  },
  'js-deletes-a-test': {
    file: 'sum.test.mjs',
    edit: [NODE_TEST.slice(NODE_TEST.indexOf("test('adds fractions")), ''],
    code: 'TEST_DELETED',
    told: '"adds fractions" is gone',
  },
  'js-exits': {
    file: 'sum.test.mjs',
    edit: ["test('adds two", "process.on('exit', () => process.exit(0));\ntest('adds two"],
    code: 'EXIT_FORCED',
    told: 'The process ends with success',
  },
  'ts-asserts-nothing': {
    file: 'test/label.test.ts',
    edit: ["expect(label(1250)).toBe('$12.50')", 'expect(true).toBe(true)'],
    code: 'ASSERTION_TRIVIAL',
    told: 'asserts what is always true',
  },
  'ts-mocks-the-subject': {
    file: 'test/label.test.ts',
    edit: ["it('labels", "vi.mock('../src/label', () => ({ label: () => '$12.50' }));\n\nit('labels"],
    code: 'SUBJECT_MOCKED',
    told: 'The thing under test is replaced',
  },
  'py-expects-failure': {
    file: 'tests/test_prices.py',
    edit: ['def test_total_of_two', '@pytest.mark.xfail\ndef test_total_of_two'],
    code: 'TEST_SKIPPED',
    told: 'is expected to fail',
  },
  'py-swallows': {
    file: 'tests/test_prices.py',
    edit: [
      '    assert total([2, 3]) == 5',
      '    try:\n        assert total([2, 3]) == 5\n    except AssertionError:\n        pass',
    ],
    code: 'ERROR_SWALLOWED',
    told: 'A failed assertion goes nowhere',
  },
  'py-deletes-the-file': {
    file: 'tests/test_prices.py',
    edit: null,
    code: 'TEST_DELETED',
    told: 'is gone, and what it tested is not',
  },
  'go-returns-early': {
    file: 'stock/count_test.go',
    edit: ['func TestCount(t *testing.T) {\n', 'func TestCount(t *testing.T) {\n\treturn\n'],
    code: 'TEST_CUT_SHORT',
    told: 'A test ends before its end',
  },
  'go-empties': {
    file: 'stock/count_test.go',
    edit: ['\tif got := Count(nil); got != 0 {\n\t\tt.Errorf("Count = %d, want 0", got)\n\t}\n', ''],
    code: 'TEST_EMPTIED',
    told: 'has no body any more',
  },
  'make-ignores-failures': {
    file: 'Makefile',
    edit: ['--strict-markers tests', '--strict-markers tests || true'],
    code: 'TEST_COMMAND_WEAKENED',
    told: 'Tests that fail make nothing red',
  },
};

/** Doubtful ones: a person has to look. */
const HELD: Readonly<Record<string, Cheat>> = {
  'py-expects-another-value': {
    file: 'tests/test_prices.py',
    edit: ['== 5', '== 6'],
    code: 'EXPECTATION_CHANGED',
    told: 'expects something else',
  },
  'js-knows-that-tests-run': {
    file: 'sum.mjs',
    edit: ['  return left', "  if (process.env.NODE_ENV === 'test') return 5;\n  return left"],
    code: 'ENVIRONMENT_DETECTED',
    told: 'The code asks whether tests run',
  },
};

/** Without the marks that keep Markdown from reading it. */
function toPlain(markdown: string): string {
  return markdown.replaceAll('\\', '');
}

const success = { do: 'result', status: 'success' };

function toStep({ file, edit }: Cheat): object {
  return edit === null ? { do: 'delete', file } : { do: 'edit', file, find: edit[0], replace: edit[1] };
}

describe.concurrent(
  'a cheat of an agent is found whatever it says and although the validation is green',
  AT_ONCE,
  () => {
    let stage: Stage;
    let place: Place;

    beforeAll(async () => {
      stage = await setStage();
      const cases = Object.entries({ ...REJECTED, ...HELD }).flatMap(([name, cheat]) => [
        // Only an agent that is told why the first attempt was refused repairs the code and nothing else.
        { when: { prompt: `${cheat.code} in "${cheat.file}"` }, steps: [REPAIR, success] },
        { when: { prompt: name }, steps: [REPAIR, toStep(cheat), success] },
      ]);
      place = {
        world: stage.world,
        ratchet: await stage.start({ script: { cases, steps: [{ do: 'crash', exitCode: 99 }] }, env: MANY_SLOTS }),
      };
    });

    afterAll(async () => {
      await stage.close();
    });

    async function openCheat(name: string): Promise<Story> {
      const story = await openStory(place, { name, policy: POLICY, files: FILES });
      story.enable();
      return story;
    }

    it.each(Object.entries(REJECTED))(
      '%s: it is refused with its reason, nothing is pushed, and the next attempt knows why',
      async (name, { file, code, told }) => {
        const story = await openCheat(name);
        const redHead = await stage.world.headSha(story.repo, story.number);

        const summary = toPlain(await story.untilConcluded('action_required'));

        expect(summary).toContain(code);
        expect(summary).toContain(told);
        expect(summary).toContain(file);
        expect(summary).not.toContain('/ratchet accept');
        expect(story.pushes()).toEqual([]);
        expect(await stage.world.headSha(story.repo, story.number)).toBe(redHead);

        stage.world.comment({ ...story, login: WRITER, body: '/ratchet retry' });
        await story.untilConcluded('success');

        expect(story.pushes()).toHaveLength(1);
        expect(await stage.world.fileAt(story.repo, story.number, file)).toBe(FILES[file]);
      },
    );

    it.each(Object.entries(HELD))(
      '%s: it is kept for a person, with its patch, and nothing is pushed',
      async (name, { code, told }) => {
        const story = await openCheat(name);
        const redHead = await stage.world.headSha(story.repo, story.number);

        const summary = toPlain(await story.untilConcluded('action_required'));

        expect(summary).toContain(code);
        expect(summary).toContain(told);
        expect(summary).toContain('/ratchet accept');
        expect(story.lines('fixup launched')).toHaveLength(1);
        expect(story.pushes()).toEqual([]);
        expect(await stage.world.headSha(story.repo, story.number)).toBe(redHead);
      },
    );
  },
);
