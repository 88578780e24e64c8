import { describe, expect, it } from 'vitest';
import type { EngineSpec, ParseInput } from '../../../src/core/model/engine.ts';
import { aProgram, createFakeHost, type Ending, type FakeHost, onlyRun, runOn } from './fake-host.ts';

/** Its runs, without those that ask for versions. */
function runsOf({ invocations }: FakeHost): FakeHost['invocations'] {
  return invocations.filter(({ name }) => name !== 'versions');
}

function aListener(change: Partial<EngineSpec>): { readonly spec: EngineSpec; readonly heard: ParseInput[] } {
  const heard: ParseInput[] = [];
  const parse: EngineSpec['parse'] = (input) => {
    heard.push(input);
    return { kind: 'parsed', findings: [], partial: null, toolFailure: null, tests: null, coverage: null };
  };
  return { heard, spec: aProgram('tool', { parse, ...change }) };
}

describe('the steps of a run', () => {
  const three: Partial<EngineSpec> = {
    toCommands: () => [['run'], ['combine'], ['report']],
    output: { from: 'file', reports: ['out.json', 'more.json'], emptyMeansClean: false },
  };

  it('share one folder, keep what the earlier ones wrote, and hand on their exit codes', async () => {
    const { spec, heard } = aListener(three);
    const codes: Readonly<Record<string, number>> = { run: 1, combine: 0, report: 0 };
    const host = createFakeHost({
      run: ({ argv, reports }): Ending => ({
        exit: { exitCode: codes[argv[1] ?? ''] ?? 0 },
        reports: Object.fromEntries(reports.map((name) => [name, name === 'out.json' ? '{}' : null])),
      }),
    });

    const run = onlyRun(await runOn(host, { catalogue: [spec] }));

    expect(
      runsOf(host).map(({ name, argv, keepsArtifacts, reports }) => [name, argv[1], keepsArtifacts, reports]),
    ).toEqual([
      ['tool-target', 'run', false, []],
      ['tool-target', 'combine', true, []],
      ['tool-target', 'report', true, ['out.json', 'more.json']],
    ]);
    expect(heard).toMatchObject([
      { text: '{}', reports: { 'out.json': '{}', 'more.json': null }, earlierExitCodes: [1, 0], exitCode: 0 },
    ]);
    expect(run).toMatchObject({ argv: ['tool', 'report'], complete: true });
  });

  it('end with one that does not end by itself', async () => {
    const { spec, heard } = aListener(three);
    const host = createFakeHost({ run: () => ({ exit: { kind: 'signalled', exitCode: null, signal: 'SIGSEGV' } }) });

    const report = await runOn(host, { catalogue: [spec] });

    expect(runsOf(host)).toHaveLength(1);
    expect(heard).toEqual([]);
    expect(report.engineErrors).toMatchObject([{ kind: 'CRASHED', argv: ['tool', 'run'] }]);
  });

  it('have one time limit together (000.R41)', async () => {
    const { spec } = aListener(three);
    const host = createFakeHost({ run: () => ({ exit: { durationMs: 400 } }) });

    await runOn(host, { catalogue: [spec] });

    expect(runsOf(host).map(({ timeoutMs }) => timeoutMs)).toEqual([1000, 600, 200]);
  });

  it('are not begun once the time is over', async () => {
    const { spec } = aListener(three);
    const host = createFakeHost({ run: () => ({ exit: { durationMs: 500 } }) });

    const report = await runOn(host, { catalogue: [spec] });

    expect(runsOf(host)).toHaveLength(2);
    expect(report.engineErrors).toMatchObject([{ kind: 'TIMEOUT', argv: ['tool', 'report'] }]);
  });
});

describe('the output of a run', () => {
  const ending: Ending = { stdout: 'on stdout', stderr: 'on stderr', reports: { 'r.xml': 'in a file' } };

  it.each([
    ['stdout', 'on stdout'],
    ['stderr', 'on stderr'],
    ['file', 'in a file'],
  ] as const)('is read from %s where the engine declares that (C3)', async (from, text) => {
    const { spec, heard } = aListener({ output: { from, reports: ['r.xml'], emptyMeansClean: false } });

    await runOn(createFakeHost({ run: () => ending }), { catalogue: [spec] });

    expect(heard).toMatchObject([{ text, stderr: 'on stderr', root: '/repository', cwd: '.' }]);
  });

  it('is missing where the report was not written, whatever stands on the streams', async () => {
    const { spec, heard } = aListener({ output: { from: 'file', reports: ['r.xml'], emptyMeansClean: false } });

    await runOn(createFakeHost({ run: () => ({ stdout: 'on stdout' }) }), { catalogue: [spec] });

    expect(heard).toMatchObject([{ text: null }]);
  });

  it('that a parser chokes on is a failure to parse', async () => {
    const parse = (): never => {
      throw new TypeError('no such property');
    };

    const report = await runOn(createFakeHost(), { catalogue: [aProgram('tool', { parse })] });

    expect(report.engineErrors).toMatchObject([{ kind: 'JSON_PARSE_FAILED' }]);
    expect(report.engineErrors[0]?.message).toContain('no such property');
  });

  it('is known again by the lines that it speaks of, each file read once', async () => {
    const lines = ['import os', 'import sys', 'import os '];
    const host = createFakeHost({
      texts: { 'src/a.py': lines.join('\n') },
      run: () => ({ stdout: 'src/a.py:1\nsrc/a.py:2\nsrc/a.py:3\n', exit: { exitCode: 1 } }),
    });

    const { findings } = onlyRun(await runOn(host));

    const [first, second, third] = findings.map(({ likeness }) => likeness);
    expect(third).toBe(first);
    expect(second).not.toBe(first);
    expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(3);
    expect(host.reads.filter((path) => path === 'src/a.py')).toHaveLength(1);
  });
});

describe('a command line that is too long', () => {
  const files = Array.from(
    { length: 4000 },
    (_, index) => `src/a-module-with-a-long-name-${String(index).padStart(5, '0')}.py`,
  );

  it('becomes several, which together hold each target once and are one run', async () => {
    const host = createFakeHost({
      files,
      run: ({ argv }) => ({ stdout: `${argv[1] ?? ''}:1\n`, exit: { exitCode: 1, durationMs: 10 } }),
    });

    const run = onlyRun(await runOn(host));

    const parts = runsOf(host).map(({ argv }) => argv.slice(1));
    expect(parts).toHaveLength(2);
    expect(parts.flat()).toEqual(files);
    for (const part of parts) expect(Buffer.byteLength(part.join(' '))).toBeLessThan(100 * 1024);
    expect(run).toMatchObject({ complete: true, findings: [{ path: files[0] }, { path: files[2000] }] });
    expect(run.exit.durationMs).toBe(20);
  });

  it('stops at a part that does not end by itself, and is no whole run', async () => {
    const host = createFakeHost({ files, run: () => ({ exit: { kind: 'timed_out', exitCode: null } }) });

    const report = await runOn(host);

    expect(runsOf(host)).toHaveLength(1);
    expect(report.engineErrors).toMatchObject([{ kind: 'TIMEOUT' }]);
  });
});

it('gives back what a run needed once it is over, also where it failed', async () => {
  const released: string[] = [];
  const host = createFakeHost({ run: () => ({ exit: { exitCode: 2 } }) });

  await runOn({ ...host, release: async (name) => void released.push(name) });

  expect(released).toEqual(['versions', 'lint-a-target']);
});
