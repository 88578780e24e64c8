import { describe, expect, it } from 'vitest';
import { explain } from '../../src/cli/explain.ts';

const PATH = 'test/a.test.js';
const TEST = "it('adds', () => { expect(add(1, 2)).toBe(3); });\n";

describe('explain change', () => {
  it('answers with a verdict and its facts, and nothing else', () => {
    const { exitCode, stdout } = explain(
      'change',
      JSON.stringify({ before: { [PATH]: TEST }, after: { [PATH]: TEST.replace('it(', 'it.skip(') }, policy: {} }),
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      verdict: 'rejected',
      facts: [{ code: 'TEST_SKIPPED', path: PATH, line: 1, message: '"adds" is skipped.' }],
    });
  });

  it('needs no policy, and takes files that are missing on one side', () => {
    const { exitCode, stdout } = explain('change', JSON.stringify({ before: {}, after: { [PATH]: TEST } }));
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { verdict: 'clean', facts: [] }]);
  });

  it.each([
    ['a missing side', { before: {} }, 'after'],
    ['a file that is no text', { before: { a: 1 }, after: {} }, 'before.a'],
    ['an unknown key', { before: {}, after: {}, other: 1 }, 'other'],
    ['an unknown key of the policy', { before: {}, after: {}, policy: { allow: [] } }, 'policy'],
    ['an unknown value of the policy', { before: {}, after: {}, policy: { testChanges: 'no' } }, 'policy.testChanges'],
    [
      'too many files',
      { before: Object.fromEntries(Array.from({ length: 2001 }, (_, at) => [`a${at}`, ''])), after: {} },
      'before',
    ],
    ['too much text', { before: {}, after: { a: 'a'.repeat(8 * 1024 * 1024 + 1) } }, 'after'],
  ])('refuses %s, and says where', (_what, input, place) => {
    const { exitCode, stdout, stderr } = explain('change', JSON.stringify(input));
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('explain change: ');
    expect(stderr).toContain(place);
  });
});
