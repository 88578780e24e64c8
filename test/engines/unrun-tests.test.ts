import { describe, expect, it } from 'vitest';
import { jest } from '../../src/engines/node/jest.ts';
import { vitest } from '../../src/engines/node/vitest.ts';
import { goTest } from '../../src/engines/program/go-test.ts';
import { anInput, parsed } from './generic/parse-input.ts';
import { readRecording, replay } from './support/recording.ts';

const ROOT = anInput('').root;

function toUnparsed(spec: typeof jest, name: string): readonly string[] | undefined {
  const payload = replay(spec, readRecording(spec.id, name));
  return payload.kind === 'parsed' && payload.partial !== null ? payload.unparsed : undefined;
}

describe('tests that could not run', () => {
  it.each([
    [jest, 'import-error'],
    [jest, 'syntax-error'],
    [vitest, 'import-error'],
    [vitest, 'syntax-error'],
    [vitest, 'failing-hook'],
    [goTest, 'build-failure'],
    [goTest, 'setup-failure'],
    [goTest, 'panic'],
    [goTest, 'crash'],
  ])('say nothing against the other files or packages: %#', (spec, name) => {
    expect(toUnparsed(spec, name)).toHaveLength(1);
  });

  it.each([
    [vitest, 'unhandled-error'],
    [vitest, 'unhandled-and-failing'],
    [vitest, 'crash'],
  ])('leave all in doubt where an error belongs to no file: %#', (spec, name) => {
    expect(toUnparsed(spec, name)).toBeUndefined();
  });

  it('leave all in doubt where a test never ended, since no finding tells of it', () => {
    const assertion = { ancestorTitles: [], title: 'a', status: 'pending' };
    const file = { name: `${ROOT}/a.test.ts`, status: 'passed', assertionResults: [assertion] };

    const { partial, unparsed } = parsed(vitest.parse, JSON.stringify({ success: true, testResults: [file] }));

    expect([partial, unparsed]).toEqual(['a.test.ts has tests that never ended', undefined]);
  });

  it('are told apart from a test that passed and printed the word', () => {
    const lines = [
      { Action: 'run', Package: 'p', Test: 'TestA' },
      { Action: 'output', Package: 'p', Test: 'TestA', Output: 'panic: as it should\n' },
      { Action: 'pass', Package: 'p', Test: 'TestA' },
      { Action: 'pass', Package: 'p' },
    ];

    expect(parsed(goTest.parse, lines.map((line) => JSON.stringify(line)).join('\n'))).toMatchObject({
      ...{ partial: null, findings: [], tests: [{ outcome: 'passed' }] },
    });
  });
});
