import { describe, expect, it } from 'vitest';
import { FINDING_KINDS, type ParsedFinding } from '../../../src/core/model/finding.ts';
import { normaliseRun } from '../../../src/core/tasks/normalise-run.ts';
import { aFailingTest, aGap, aParsedFinding } from '../findings/parsed-findings.ts';
import { aLint, anUnloaded, aRunOf, aTest, found } from './task-stories.ts';

describe('a finding of an engine', () => {
  it('has what the document names (001.R5)', () => {
    const run = aRunOf('pytest', [aTest('tests/test_a.py', 'x', { rule: 'AssertionError' })]);

    expect(normaliseRun(run, 'artifact:7')).toEqual([
      {
        ...{ tool: 'pytest', kind: 'test_failure', severity: 'high', message: 'assert 1 == 2' },
        fingerprint: run.findings[0]?.fingerprint,
        ...{ filePath: 'tests/test_a.py', line: 7, column: null, symbol: 'AssertionError' },
        ...{ testId: 'tests/test_a.py::x', rawRef: 'artifact:7' },
        meta: { project: '.', signature: null, percent: null },
      },
    ]);
    expect(FINDING_KINDS).toEqual(expect.arrayContaining(['test_failure', 'coverage_gap']));
  });

  it('of coverage has its percentage, and a fingerprint without it (001.R26)', () => {
    const measured = (covered: number) =>
      found('coverage', [aGap({ path: 'src/a.py' })], {
        coverage: { files: [{ path: 'src/a.py', covered, total: 8, missingLines: [] }] },
      })[0];

    expect(measured(1)?.meta.percent).toBe(12.5);
    expect(measured(1)?.fingerprint).toBe(measured(7)?.fingerprint);
    expect(found('coverage', [aGap({ path: null })])[0]?.meta.percent).toBeNull();
  });

  it('of a test has a fingerprint without what changes from run to run (001.R21)', () => {
    const at = (address: string) =>
      found('pytest', [aTest('tests/test_a.py', 'x', { message: `<Obj at ${address}>`, line: 3 })])[0];

    expect(at('0x7f00aa')?.fingerprint).toBe(at('0x7fffbb')?.fingerprint);
  });

  it('that its tool calls no problem is none', () => {
    expect(found('eslint', [aLint('a.js', 1, { native: 'none' }), aLint('a.js', 2)])).toHaveLength(1);
  });
});

describe('the signature of a cause (001.R22)', () => {
  const of = (finding: ParsedFinding, tool = 'pytest') => found(tool, [finding])[0]?.meta.signature ?? null;
  const isSame = (left: ParsedFinding, right: ParsedFinding, tool?: string) => {
    const signature = of(left, tool);
    return signature !== null && signature === of(right, tool);
  };

  it('is the exception and the place in the code that threw it', () => {
    const thrown = (file: string, identity: string) => aTest(file, 'x', { identity });

    expect(isSame(thrown('tests/a.py', 'KeyError|src/l.py|f'), thrown('tests/b.py', 'KeyError|src/l.py|f'))).toBe(true);
    expect(isSame(thrown('tests/a.py', 'KeyError|src/l.py|f'), thrown('tests/b.py', 'KeyError|src/l.py|g'))).toBe(
      false,
    );
    expect(isSame(thrown('tests/a.py', 'KeyError|src/l.py|f'), thrown('tests/b.py', 'TypeError|src/l.py|f'))).toBe(
      false,
    );
  });

  it('is none for an expectation, in the test or in a helper of tests', () => {
    expect(of(aTest('tests/a.py', 'x'))).toBeNull();
    expect(
      of(aTest('tests/a.py', 'x', { identity: 'AssertionError|tests/util.py|check', message: 'AssertionError: no' })),
    ).toBeNull();
    expect(of(aTest('a.test.ts', 'x', { identity: 'Error|test/util.ts|check' }))).toBeNull();
    expect(of(aTest('tests/a.py', 'x', { identity: 'KeyError|tests/util.py|load' }))).not.toBeNull();
    expect(of(aTest('tests/a.py', 'x', { identity: 'AssertionError|src/lib.py|f' }))).not.toBeNull();
  });

  it('is what an exception says where no place in the code is known, without paths and addresses', () => {
    expect(isSame(anUnloaded('tests/a.py'), anUnloaded('tests/b.py'))).toBe(true);
    expect(
      isSame(anUnloaded('tests/a.py'), anUnloaded('tests/b.py', "ModuleNotFoundError: No module named 'other'")),
    ).toBe(false);
    expect(
      isSame(
        anUnloaded('tests/a.py', 'OSError: in tests/a.py at 0x7f00aabb'),
        anUnloaded('tests/b.py', 'OSError: in tests/b.py at 0x7f11ccdd'),
      ),
    ).toBe(true);
    expect(
      isSame(
        anUnloaded('tests/a.py', 'lines before\n  app.SetupError: no port'),
        anUnloaded('tests/b.py', 'app.SetupError: no port'),
      ),
    ).toBe(true);
    expect(
      isSame(
        aFailingTest({ path: null, identity: null, message: 'KeyError: 1' }),
        aFailingTest({ path: null, identity: null, message: 'KeyError: 1' }),
      ),
    ).toBe(true);
  });

  it('is none where an exception says nothing, or only that it is an error', () => {
    expect(of(anUnloaded('tests/a.py', 'KeyError'))).toBeNull();
    expect(of(anUnloaded('tests/a.py', 'Error: expected 1 to be 2'))).toBeNull();
    expect(of(anUnloaded('tests/a.py', 'it failed'))).toBeNull();
  });

  it('is a message of a type checker that names something, and none of a linter', () => {
    const typed = (path: string, message: string) => aParsedFinding({ kind: 'type', rule: 'TS2339', path, message });

    expect(
      isSame(typed('a.ts', "Property 'x1' does not exist."), typed('b.ts', "Property 'x1' does not exist."), 'tsc'),
    ).toBe(true);
    expect(
      isSame(typed('a.ts', "Property 'x1' does not exist."), typed('b.ts', "Property 'y1' does not exist."), 'tsc'),
    ).toBe(false);
    expect(of(typed('a.ts', 'Object is possibly undefined.'), 'tsc')).toBeNull();
    expect(of(aLint('a.js', 1, { message: "'x1' is not defined." }), 'eslint')).toBeNull();
  });

  it('is not shared by two tools', () => {
    expect(of(anUnloaded('tests/a.py'), 'pytest')).not.toBe(of(anUnloaded('tests/a.py'), 'other'));
  });
});
