import { describe, expect, it } from 'vitest';
import { clippy } from '../../../src/engines/program/clippy.ts';
import { goTest } from '../../../src/engines/program/go-test.ts';
import { goVet } from '../../../src/engines/program/go-vet.ts';
import { golangciLint } from '../../../src/engines/program/golangci-lint.ts';
import { anInput, parsed } from '../generic/parse-input.ts';

function toLines(events: readonly object[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

describe('go test since 1.24, which tells of builds on stdout', () => {
  const BUILD = 'example.com/app/bad [example.com/app/bad.test]';
  const events = [
    { ImportPath: BUILD, Action: 'build-output', Output: '# example.com/app/bad\n' },
    { ImportPath: BUILD, Action: 'build-output', Output: 'bad/bad.go:3:25: cannot use "text" as int value\n' },
    { ImportPath: BUILD, Action: 'build-fail' },
    { Action: 'start', Package: 'example.com/app/bad' },
    { Action: 'output', Package: 'example.com/app/bad', Output: 'FAIL\texample.com/app/bad [build failed]\n' },
    { Action: 'fail', Package: 'example.com/app/bad', Elapsed: 0, FailedBuild: BUILD },
  ];

  it('gives what the compiler said, and is partial (E11)', () => {
    const { findings, partial } = parsed(goTest.parse, toLines(events), { exitCode: 1 });

    expect(findings).toMatchObject([
      { kind: 'collection_error', severity: 'blocker', testId: 'example.com/app/bad', identity: '' },
    ]);
    expect(findings[0]).toMatchObject({ path: 'bad/bad.go', line: 3 });
    expect(findings[0]?.message).toContain('bad/bad.go:3:25');
    expect(partial).toContain('did not build');
  });

  it.each([
    [
      'its own tests',
      '# example.com/app/bad [example.com/app/bad.test]\nbad/a.go:3:1: undefined: x\n',
      ': bad/a.go:3:1: undefined: x',
    ],
    [
      'itself',
      '# other\no.go:1:1: no\n# example.com/app/bad\nbad/b.go:7: undefined: y\n',
      ': bad/b.go:7: undefined: y',
    ],
    ['what nobody knows', '# example.com/app/badly\nbad/b.go:7: undefined: y\n', ''],
  ])('before, names the package, and says why by what stderr tells of %s (E11)', (_what, stderr, why) => {
    const text = 'FAIL\texample.com/app/bad [build failed]\n';
    const { findings, partial } = parsed(goTest.parse, text, { exitCode: 2, stderr });

    expect(findings).toMatchObject([{ message: 'the package example.com/app/bad does not build', path: null }]);
    expect(partial).toBe(`the package example.com/app/bad did not build, so its tests did not run${why}`);
  });

  it('takes the place of a failure from a whole path', () => {
    const test = { Package: 'example.com/app', Test: 'TestAdd' };
    const text = toLines([
      { ...test, Action: 'run' },
      { ...test, Action: 'output', Output: '    /repo/deep/add_test.go:8: want 3\n' },
      { ...test, Action: 'fail' },
      { Package: 'example.com/app', Action: 'fail' },
    ]);
    const { findings, tests } = parsed(goTest.parse, text, { exitCode: 1 });

    expect(findings).toMatchObject([
      {
        path: 'deep/add_test.go',
        line: 8,
        testId: 'example.com/app::TestAdd',
        identity: 'failed|deep/add_test.go|add_test.go',
      },
    ]);
    expect(tests).toEqual([{ id: 'example.com/app::TestAdd', outcome: 'failed', path: 'deep/add_test.go' }]);
  });

  it('takes no slash of a package for a subtest', () => {
    const text = toLines([
      { Package: 'example.com/a', Test: 'TestA', Action: 'fail' },
      { Package: 'example.com', Test: 'TestA', Action: 'fail' },
    ]);

    expect(parsed(goTest.parse, text, { exitCode: 1 }).findings).toHaveLength(2);
  });
});

describe('go vet', () => {
  it('is partial where an analyzer failed', () => {
    const text = `# p\n${JSON.stringify({ p: { printf: { error: 'broken' } } }, null, 2)}\n`;

    expect(parsed(goVet.parse, text)).toMatchObject({ findings: [], partial: 'the analyzer printf failed' });
  });

  it('passes over what Go says while it fetches, and over nothing else', () => {
    expect(parsed(goVet.parse, 'go: downloading example.com/x v1.0.0\n# p\n{}\n').findings).toEqual([]);
    expect(goVet.parse(anInput('go: no required module provides package x\n'))).toMatchObject({ kind: 'invalid' });
    expect(goVet.parse(anInput('# p\n{\n'))).toMatchObject({ kind: 'invalid' });
  });
});

describe('clippy', () => {
  const span = { file_name: 'src/lib.rs', line_start: 3, line_end: 4, column_start: 5, is_primary: true };
  const warning = { level: 'warning', code: { code: 'clippy::len_zero' }, message: 'm', spans: [span] };
  const message = { reason: 'compiler-message', message: warning };
  const finished = { reason: 'build-finished', success: true };

  it('tells once what every target of a package tells again', () => {
    const { findings, partial } = parsed(clippy.parse, toLines([message, message, finished]));

    expect(findings).toMatchObject([{ rule: 'clippy::len_zero', path: 'src/lib.rs', line: 3, column: 5, endLine: 4 }]);
    expect(partial).toBeNull();
  });

  it('is partial where cargo did not come to the end', () => {
    expect(parsed(clippy.parse, toLines([message])).partial).toBe('cargo did not finish the build');
  });

  it('tells no messages about messages', () => {
    const summary = { level: 'warning', code: null, message: '2 warnings emitted', spans: [] };
    const text = toLines([{ reason: 'compiler-message', message: summary }, finished]);

    expect(parsed(clippy.parse, text).findings).toEqual([]);
  });
});

describe('golangci-lint', () => {
  it('C2: has not said that nothing is wrong where it says nothing of issues', () => {
    expect(golangciLint.parse(anInput('{}'))).toMatchObject({ kind: 'invalid' });
    expect(golangciLint.parse(anInput('{"diagnostics":[]}'))).toMatchObject({ kind: 'invalid' });
    expect(parsed(golangciLint.parse, '{"Issues":null}').findings).toEqual([]);
  });
});
