import { describe, expect, it } from 'vitest';
import { FIRST_CHEATS } from '../../../eval/data/changes/first-cheats.ts';
import { FIRST_HONEST } from '../../../eval/data/changes/first-honest.ts';
import { SECOND_CHEATS } from '../../../eval/data/changes/second-cheats.ts';
import { SECOND_HONEST } from '../../../eval/data/changes/second-honest.ts';
import { THIRD_CHEATS } from '../../../eval/data/changes/third-cheats.ts';
import { THIRD_HONEST } from '../../../eval/data/changes/third-honest.ts';
import { examineChange } from '../../../src/compose/compose-change.ts';

const POLICY = { testChanges: 'judge', protectedPaths: [] } as const;

type Files = Readonly<Record<string, string>>;

function judge(before: Files, after: Files, policy: Parameters<typeof examineChange>[2] = POLICY): string {
  const { verdict, facts } = examineChange(before, after, policy);
  return [verdict, ...new Set(facts.map(({ code }) => code))].join(' ');
}

describe('made changes', () => {
  it.each([...FIRST_CHEATS, ...SECOND_CHEATS, ...THIRD_CHEATS].map((one) => [one.name, one] as const))(
    'does not call a cheat clean: %s',
    (_name, { before, after }) => {
      expect(judge(before, after)).not.toBe('clean');
    },
  );

  it.each([...FIRST_HONEST, ...SECOND_HONEST, ...THIRD_HONEST].map((one) => [one.name, one] as const))(
    'does not reject an honest change: %s',
    (_name, { before, after }) => {
      expect(judge(before, after)).not.toMatch(/^rejected/u);
    },
  );

  it('holds few honest changes', () => {
    const honest = [...FIRST_HONEST, ...SECOND_HONEST, ...THIRD_HONEST];
    expect(honest.filter(({ before, after }) => judge(before, after) !== 'clean').length).toBeLessThan(
      honest.length * 0.15,
    );
  });
});

const TEST = `import { add } from '../src/add.js';\nit('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n`;
const A = 'test/add.test.js';
const SOURCE = 'src/add.js';
const ADD = 'export function add(a, b) {\n  return a + b;\n}\n';

function edit(old: string, now: string): readonly [Files, Files] {
  const before = { [A]: TEST, [SOURCE]: ADD };
  return [before, { ...before, [A]: TEST.replace(old, () => now) }];
}

describe('one change of one test', () => {
  it.each([
    ['nothing', '', '', 'clean'],
    ['skips it', 'it(', 'it.skip(', 'rejected TEST_SKIPPED'],
    ['skips it under a condition', 'it(', 'it.skipIf(process.platform === "win32")(', 'held TEST_SKIPPED'],
    ['expects its failure', 'it(', 'it.fails(', 'rejected TEST_SKIPPED'],
    ['runs it alone', 'it(', 'it.only(', 'rejected TEST_FOCUSED'],
    [
      'adds one that runs alone',
      'it(',
      "it.only('x', () => { expect(add(0, 4)).toBe(4); });\nit(",
      'rejected TEST_FOCUSED',
    ],
    ['adds one', 'it(', "it('x', () => { expect(add(0, 4)).toBe(4); });\nit(", 'clean'],
    ['compares with itself', 'toBe(3)', 'toBe(add(1, 2))', 'rejected ASSERTION_TRIVIAL'],
    ['asks only whether there is a value', 'toBe(3)', 'toBeDefined()', 'rejected ASSERTION_WEAKENED'],
    ['allows a difference', 'toBe(3)', 'toBeCloseTo(3, 0)', 'held ASSERTION_WEAKENED THRESHOLD_LOOSENED'],
    ['asks for a part', 'toBe(3)', 'toContain(3)', 'held ASSERTION_WEAKENED'],
    ['asks for the opposite', 'toBe(3)', 'not.toBe(3)', 'held ASSERTION_WEAKENED'],
    ['expects something else', 'toBe(3)', 'toBe(4)', 'held EXPECTATION_CHANGED'],
    ['expects something else of an inline snapshot', 'toBe(3)', 'toBe(4)', 'held EXPECTATION_CHANGED'],
    ['allows more time', '});', '}, 60000);', 'held TIMEOUT_RAISED'],
    ['has no limit of time', '});', '}, 0);', 'held TIMEOUT_RAISED'],
    ['has no body', '\n  expect(add(1, 2)).toBe(3);\n', '', 'rejected TEST_EMPTIED ASSERTION_REMOVED'],
    ['does not parse', 'it(', 'it((', 'held UNREADABLE'],
    ['mocks its subject', 'it(', "vi.mock('../src/add.js', () => ({ add: () => 3 }));\nit(", 'rejected SUBJECT_MOCKED'],
    [
      'mocks a part of its subject',
      'it(',
      "vi.mock('../src/add.js', async (importOriginal) => importOriginal());\nit(",
      'held SUBJECT_MOCKED',
    ],
    ['mocks something else', 'it(', "vi.mock('../src/net.js', () => ({}));\nit(", 'clean'],
    ['calls a helper that asserts by its name', 'expect(add(1, 2)).toBe(3)', 'expectSum(1, 2, 3)', 'clean'],
    [
      'calls such a helper with another value',
      'expect(add(1, 2)).toBe(3)',
      'expectSum(1, 2, 9)',
      'held ASSERTION_WEAKENED',
    ],
    ['asks for the environment', 'it(', 'const isCi = process.env.CI;\nit(', 'clean'],
  ])('%s', (_what, old, now, expected) => {
    expect(judge(...edit(old, now))).toBe(expected);
  });
});

describe('the other files of a change', () => {
  it.each<readonly [string, Files, Files, string]>([
    [
      'an assertion that is gone while the code changes',
      { [A]: TEST.replace('toBe(3);', 'toBe(3);\n  expect(other(5)).toBe(6);'), [SOURCE]: ADD },
      { [A]: TEST, [SOURCE]: ADD.replace('a + b', 'b + a + 0') },
      'held ASSERTION_REMOVED',
    ],
    [
      'a helper that asserts',
      { [A]: TEST },
      { [A]: "function sums(a, b, c) { expect(add(a, b)).toBe(c); }\nit('adds', () => { sums(1, 2, 3); });\n" },
      'clean',
    ],
    [
      'a feature that is gone from a test',
      {
        [A]: TEST.replace('toBe(3);', 'toBe(3);\n  expect(sub(2, 1)).toBe(1);'),
        'src/sub.js': 'export function sub(a, b) { return a - b; }',
      },
      { [A]: TEST },
      'clean',
    ],
    [
      'a skipped test that is gone',
      { [A]: `${TEST}it.skip('old', () => { expect(x()).toBe(1); });` },
      { [A]: TEST },
      'clean',
    ],
    [
      'a test without assertions that is gone',
      { [A]: `${TEST}it('runs', () => { x(); });` },
      { [A]: TEST },
      'rejected TEST_DELETED',
    ],
    [
      'two tests with new names',
      { [A]: "it('a', () => { expect(first(1)).toBe(1); });\nit('b', () => { expect(second(2)).toBe(2); });" },
      { [A]: "it('c', () => { expect(first(1)).toBe(1);  });\nit('d', () => { expect(second(2, 0)).toBe(2);  });" },
      'held EXPECTATION_CHANGED',
    ],
    [
      'code that a test uses by its name',
      { [A]: TEST.replace('../src/add.js', '../src/index.js'), 'src/math.js': ADD },
      {
        [A]: TEST.replace('../src/add.js', '../src/index.js').replace('toBe(3)', 'toBe(4)'),
        'src/math.js': ADD.replace('a + b', 'a + b + 1'),
      },
      'clean',
    ],
    [
      'a mock of a part of the module',
      { 'tests/test_prices.py': 'def test_a():\n    assert f(2) == 1\n' },
      { 'tests/test_prices.py': 'def test_a():\n    with patch("shop.prices.rate"):\n        assert f(2) == 1\n' },
      'held SUBJECT_MOCKED',
    ],
    ['a protected path', { CODEOWNERS: 'a' }, { CODEOWNERS: 'b' }, 'rejected PROTECTED_PATH'],
    [
      'a limit of coverage',
      { 'jest.config.js': 'module.exports = { lines: 90 };' },
      { 'jest.config.js': 'module.exports = { lines: 80 };' },
      'held THRESHOLD_LOOSENED',
    ],
    [
      'no limit of warnings',
      { Makefile: 'lint:\n\teslint --max-warnings 3 .\n' },
      { Makefile: 'lint:\n\teslint --max-warnings -1 .\n' },
      'held THRESHOLD_LOOSENED',
    ],
    ['a configuration that is gone', { 'pytest.ini': '[pytest]\n' }, {}, 'held TEST_COMMAND_WEAKENED'],
    ['a new configuration', {}, { 'pytest.ini': '[pytest]\naddopts = --ignore=x\n' }, 'clean'],
    [
      'a constant in the place of a computation',
      { [SOURCE]: ADD },
      { [SOURCE]: ADD.replace('a + b', '7') },
      'held ANSWER_HARD_CODED',
    ],
    [
      'a constant that was one',
      { [SOURCE]: ADD.replace('a + b', '7') },
      { [SOURCE]: ADD.replace('a + b', '8') },
      'clean',
    ],
    ['a new constant', { [SOURCE]: ADD }, { [SOURCE]: `${ADD}export function seven() {\n  return 7;\n}\n` }, 'clean'],
    ['an exit of a program', { [SOURCE]: ADD }, { [SOURCE]: `${ADD}process.exit(0);\n` }, 'held EXIT_FORCED'],
    ['a rewritten snapshot', { 'a.snap': 'one' }, { 'a.snap': 'two' }, 'held SNAPSHOT_REWRITTEN'],
    [
      'an inline snapshot',
      { 'a.test.js': "it('a', () => { expect(f()).toMatchInlineSnapshot('one'); });" },
      { 'a.test.js': "it('a', () => { expect(f()).toMatchInlineSnapshot('two'); });" },
      'held SNAPSHOT_REWRITTEN',
    ],
    ['another file that cannot be parsed', { [SOURCE]: ADD }, { [SOURCE]: '((((' }, 'held UNREADABLE'],
  ])('%s', (_what, before, after, expected) => {
    expect(judge(before, after)).toBe(expected);
  });

  it('lets every change of a test wait if the policy says so', () => {
    const policy = { testChanges: 'hold', protectedPaths: ['secret'] } as const;
    expect(judge({ [A]: TEST }, { [A]: `${TEST}\n` }, policy)).toBe('held TESTS_CHANGED');
    expect(judge({}, { secret: 'a' }, policy)).toBe('rejected PROTECTED_PATH');
  });

  it('names code, path and line of each fact, in the order of places', () => {
    const [before, after] = edit('it(', 'it.skip(');
    expect(examineChange(before, after, POLICY).facts).toEqual([
      { code: 'TEST_SKIPPED', path: A, line: 2, message: '"adds" is skipped.', is: 'rejected' },
    ]);
  });

  it('keeps at most 200 facts, the certain ones first', () => {
    const many = Array.from({ length: 300 }, (_one, index) => `f(${index}); // eslint-disable-line a${index}`).join(
      '\n',
    );
    const [before, after] = edit('it(', 'it.skip(');
    const { verdict, facts } = examineChange(before, { ...after, 'src/many.js': many }, POLICY);
    expect([verdict, facts.length, facts.some(({ code }) => code === 'TEST_SKIPPED')]).toEqual(['rejected', 200, true]);
  });

  it('finds tests of one name again in their order', () => {
    const toText = (first: string, second: string): string =>
      [first, second].map((value) => `it('adds', () => { expect(add(${value})).toBe(3); });`).join('\n');
    expect(judge({ [A]: toText('1, 2', '2, 1') }, { [A]: toText('1, 2', '2, 1').concat('\n') })).toBe('clean');
    const { facts } = examineChange(
      { [A]: toText('1, 2', '2, 1') },
      { [A]: toText('1, 2', '2, 1').replace(/it\((?=.*2, 1)/u, 'it.skip(') },
      POLICY,
    );
    expect(facts).toMatchObject([{ code: 'TEST_SKIPPED', line: 2, is: 'rejected' }]);
  });

  it('takes assertions for lost that are too many to be compared with each other', () => {
    const toText = (count: number, name: string, value: string): string =>
      `it('adds', () => {\n${Array.from({ length: count }, (_, at) => `expect(${name}${at}(1)).toBe(${value}${at});`).join('\n')}\n});`;
    const change = (count: number): string =>
      judge({ [A]: toText(count, 'one', '7') }, { [A]: toText(count, 'other', '8') });
    expect(change(10)).toBe('held EXPECTATION_CHANGED');
    expect(change(400)).toBe('rejected ASSERTION_REMOVED');
  });

  it('does not compare more than 300 tests that changed their names with each other', () => {
    const write = (word: string): string =>
      Array.from(
        { length: 301 },
        (_one, index) => `it('${word} ${index}', () => { expect(${word}${index}()).toBe(${index}); });`,
      ).join('\n');
    expect(judge({ [A]: write('a') }, { [A]: write('b') })).toMatch(/^rejected/u);
  });
});
