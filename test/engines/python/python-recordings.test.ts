import { describe, expect, it } from 'vitest';
import type { EngineSpec } from '../../../src/core/model/engine.ts';
import { coverage } from '../../../src/engines/python/coverage.ts';
import { flake8 } from '../../../src/engines/python/flake8.ts';
import { mypy } from '../../../src/engines/python/mypy.ts';
import { pylint } from '../../../src/engines/python/pylint.ts';
import { pytest } from '../../../src/engines/python/pytest.ts';
import { ruff } from '../../../src/engines/python/ruff.ts';
import { tombi } from '../../../src/engines/python/tombi.ts';
import { checkRecording, readRecordings } from '../support/recording.ts';
import { rerun } from '../support/rerun.ts';

const RECORDED: Readonly<Record<string, EngineSpec>> = {
  coverage,
  flake8,
  mypy,
  'mypy-json': mypy,
  pylint,
  pytest,
  'pytest-json-report': pytest,
  ruff,
  tombi,
};
/** Every case of a tool that is proven against the real one. */
const CASES = ['clean', 'findings', 'broken-config', 'syntax-error', 'crash'];

describe.each(Object.entries(RECORDED))('recorded runs of %s', (tool, spec) => {
  it.each(readRecordings(tool).map((recording) => [recording.case, recording] as const))('%s', (_, recording) => {
    checkRecording(spec, recording);
  });
});

describe('what recordings there are', () => {
  it.each(['coverage', 'flake8', 'mypy', 'pylint', 'pytest'])(
    '%s was run in every case of a first-class tool',
    (tool) => {
      const cases = readRecordings(tool).map((recording) => recording.case);

      expect(cases).toEqual(expect.arrayContaining([...CASES, 'missing-config']));
    },
  );
});

/** Kind of the engine error of a recorded run, and whether it is complete. */
function judged(tool: string, name: string): readonly [string | null, boolean] {
  const { error, complete } = rerun(toSpec(tool), name, tool).judged;
  return [error, complete];
}

function toSpec(tool: string): EngineSpec {
  const spec = RECORDED[tool];
  if (spec === undefined) throw new Error(`there is no ${tool}`);
  return spec;
}

describe('what recorded runs prove', () => {
  it('C4: nothing on stdout is clean for mypy and flake8 with exit code 0, and no answer with another', () => {
    expect([judged('mypy', 'clean'), judged('flake8', 'clean')]).toEqual([
      [null, true],
      [null, true],
    ]);
    expect([judged('mypy', 'missing-file'), judged('flake8', 'crash')]).toEqual([
      ['NO_OUTPUT', false],
      ['NO_OUTPUT', false],
    ]);
  });

  it('C2: text of no known shape is no list of findings, whatever the exit code', () => {
    expect(judged('flake8', 'quiet-config')).toEqual(['JSON_PARSE_FAILED', false]);
    expect(judged('mypy-json', 'crash')).toEqual(['JSON_PARSE_FAILED', false]);
  });

  it('C11: messages of pylint are findings with any mask; a fatal one, and 32, are failures of the tool', () => {
    expect(judged('pylint', 'findings')).toEqual([null, true]);
    expect(judged('pylint', 'missing-file')).toEqual(['TOOL_FAILURE_EXIT', false]);
    expect(judged('pylint', 'bad-flag')).toEqual(['NO_OUTPUT', false]);
  });

  it('a configuration that a tool passes over in silence is a failure, though it ends with 0', () => {
    expect(rerun(toSpec('mypy'), 'broken-config', 'mypy').exit.exitCode).toBe(0);
    expect(judged('mypy', 'broken-config')).toEqual(['TOOL_FAILURE_EXIT', false]);
  });

  it.each([
    ['mypy', 'syntax-error'],
    ['mypy-json', 'syntax-error'],
    ['pylint', 'syntax-error'],
    ['flake8', 'syntax-error'],
    ['ruff', 'syntax-error'],
    ['tombi', 'syntax-error'],
    ['pytest', 'syntax-error'],
    ['pytest', 'import-error'],
    ['pytest', 'stops-early'],
    ['coverage', 'failing-tests'],
  ])('%s, %s: findings are kept, and nothing can be shown to be gone', (tool, name) => {
    const { expected, judged: verdict } = rerun(toSpec(tool), name, tool);

    expect(expected.findings).not.toEqual([]);
    expect(verdict).toMatchObject({ error: null, complete: false });
  });

  it('C21: a threshold of coverage that is missed is a finding of its own, and no failure of the tool', () => {
    const ofCoverage = rerun(toSpec('coverage'), 'below-threshold', 'coverage');
    const ofPytest = rerun(toSpec('pytest'), 'threshold', 'pytest');

    expect(ofCoverage.expected.findings?.some((row) => row.includes('coverage_threshold'))).toBe(true);
    expect(ofPytest.expected.findings).toHaveLength(1);
    expect(ofPytest.expected.findings?.[0]).toContain('coverage_threshold');
    expect(ofPytest.expected.tests).toEqual(['passed test_half.py::test_half']);
    expect([ofCoverage.judged.error, ofPytest.judged.error]).toEqual([null, null]);
  });

  it('coverage is that of coverage.py where pytest-cov is configured, too, and known to be there', () => {
    expect(rerun(toSpec('coverage'), 'plugin-known', 'coverage').expected.coverage).toContain('pkg/half.py 3/4 4');
  });

  it('001.R21: a failed test is identified by exception and innermost frame of the repository, without a line', () => {
    const rows = rerun(toSpec('pytest'), 'findings', 'pytest').expected.findings ?? [];
    const [row = ''] = rows.filter((candidate) => candidate.includes('TestDeeper::test_raises'));

    expect(row.split(' | ').slice(1)).toEqual([
      'tests/test_check.py::TestDeep::TestDeeper::test_raises',
      'ValueError|src/check.py|check',
    ]);
  });

  it('JUnit and JSON reports give one test the same id and identity (001.R19)', () => {
    const toIds = (tool: string): readonly string[] =>
      (rerun(toSpec(tool), 'findings', tool).expected.findings ?? []).map((row) =>
        row.split(' | ').slice(1).join(' | '),
      );
    const [junit, json] = [toIds('pytest'), toIds('pytest-json-report')];

    expect(json.length).toBeGreaterThan(3);
    expect(json.filter((id) => !junit.includes(id))).toEqual([]);
  });
});
