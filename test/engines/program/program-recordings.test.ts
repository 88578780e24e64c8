import { describe, expect, it } from 'vitest';
import type { EngineSpec } from '../../../src/core/model/engine.ts';
import { clippy } from '../../../src/engines/program/clippy.ts';
import { goTest } from '../../../src/engines/program/go-test.ts';
import { goVet } from '../../../src/engines/program/go-vet.ts';
import { golangciLint } from '../../../src/engines/program/golangci-lint.ts';
import { shellcheck } from '../../../src/engines/program/shellcheck.ts';
import { checkRecording, readRecordings } from '../support/recording.ts';
import { rerun } from '../support/rerun.ts';

const RECORDED: Readonly<Record<string, EngineSpec>> = {
  clippy,
  'go-test': goTest,
  'go-vet': goVet,
  'golangci-lint': golangciLint,
  shellcheck,
};

describe.each(Object.entries(RECORDED))('recorded runs of %s', (tool, spec) => {
  it.each(readRecordings(tool).map((recording) => [recording.case, recording] as const))('%s', (_, recording) => {
    checkRecording(spec, recording);
  });
});

function toSpec(tool: string): EngineSpec {
  const spec = RECORDED[tool];
  if (spec === undefined) throw new Error(`there is no ${tool}`);
  return spec;
}

describe('what recorded runs prove', () => {
  it('shellcheck was run in every case of a first-class tool', () => {
    const cases = readRecordings('shellcheck').map((recording) => recording.case);
    const wanted = ['clean', 'findings', 'broken-config', 'missing-file', 'syntax-error', 'crash'];

    expect(cases).toEqual(expect.arrayContaining(wanted));
  });

  it('C3: go vet tells its findings on stderr, which is declared, with exit code 0', () => {
    const { exit, stdout, expected, judged } = rerun(toSpec('go-vet'), 'findings', 'go-vet');

    expect(goVet.output.from).toBe('stderr');
    expect([exit.exitCode, stdout]).toEqual([0, '']);
    expect(expected.findings).toHaveLength(4);
    expect(judged).toMatchObject({ error: null, complete: true });
  });

  it('C3: what go test says of a broken package on stderr is no finding; that it did not build is one', () => {
    const { stderr, expected } = rerun(toSpec('go-test'), 'build-failure', 'go-test');

    expect(stderr).toContain('bad/bad.go:3:25');
    expect(expected.findings).toHaveLength(1);
    expect(expected.findings?.join('\n')).not.toContain('bad.go');
  });

  it('a list of comments that looks clean is a failure where a file was not there', () => {
    const { exit, expected, judged } = rerun(toSpec('shellcheck'), 'missing-file', 'shellcheck');

    expect([exit.exitCode, expected.findings]).toEqual([2, []]);
    expect(judged).toMatchObject({ error: 'TOOL_FAILURE_EXIT', complete: false });
  });

  it.each([
    ['shellcheck', 'syntax-error'],
    ['go-test', 'build-failure'],
    ['go-test', 'panic'],
    ['go-test', 'crash'],
    ['go-test', 'setup-failure'],
    ['go-vet', 'type-error'],
    ['clippy', 'type-error'],
    ['clippy', 'denied'],
    ['golangci-lint', 'type-error'],
  ])('%s, %s: findings are kept, and nothing can be shown to be gone', (tool, name) => {
    const { expected, judged } = rerun(toSpec(tool), name, tool);

    expect(expected.findings).not.toEqual([]);
    expect(judged).toMatchObject({ error: null, complete: false });
  });

  it('of a failed subtest the leaf is told, and its parents only as tests', () => {
    const { expected } = rerun(toSpec('go-test'), 'findings', 'go-test');

    expect(expected.findings?.filter((row) => row.includes('TestParent'))).toHaveLength(1);
    expect(expected.tests).toContain('failed example.com/app::TestParent');
  });

  it('an error that golangci-lint tells of itself leaves its findings, and makes the run fail', () => {
    const { expected, judged } = rerun(toSpec('golangci-lint'), 'error', 'golangci-lint');

    expect(expected.findings).toHaveLength(1);
    expect(judged.error).toBe('TOOL_FAILURE_EXIT');
  });
});
