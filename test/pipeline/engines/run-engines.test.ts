import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { RepositoryError } from '../../../src/core/model/errors.ts';
import type { DeclaredEngine } from '../../../src/core/model/policy.ts';
import type { EngineProgress } from '../../../src/pipeline/engines/run-engines.ts';
import {
  aPolicy,
  aProgram,
  createFakeHost,
  createMeeting,
  createMemoryLog,
  type Ending,
  onlyRun,
  runOn,
} from './fake-host.ts';

const FINDING: Ending = { stdout: 'src/a.py:1\n', exit: { exitCode: 1 } };

describe('what is run', () => {
  it('runs what the repository shows to use where no policy says anything', async () => {
    const host = createFakeHost({ files: ['src/a.py'] });
    const catalogue = [aProgram('lint-a'), aProgram('lint-b', { detection: { files: ['b.toml'] } })];

    const report = await runOn(host, { catalogue });

    expect(report.runs.map(({ engine }) => engine)).toEqual(['lint-a']);
    expect(report.root).toBe('/repository');
  });

  it('reads manifests to find out what is used, and only those that are there', async () => {
    const host = createFakeHost({
      files: ['package.json', 'src/a.py'],
      texts: { 'package.json': '{"devDependencies":{"lint-n":"1"}}', 'tox.ini': '[lint-n]' },
    });
    const catalogue = [aProgram('lint-n', { detection: { nodePackage: 'lint-n' } })];

    const report = await runOn(host, { catalogue });

    expect(report.runs).toHaveLength(1);
    expect(host.reads).toContain('package.json');
    expect(host.reads).not.toContain('tox.ini');
  });

  it('runs an engine that is asked for by name, though neither policy nor repository names it', async () => {
    const catalogue = [aProgram('lint-a'), aProgram('lint-b', { detection: {} })];

    const report = await runOn(createFakeHost(), { catalogue, only: ['lint-b'], policy: aPolicy({ 'lint-a': {} }) });

    expect(report.plans.map(({ engine }) => engine)).toEqual(['lint-b']);
    expect(report.runs.map(({ engine }) => engine)).toEqual(['lint-b']);
  });

  it('refuses a name that nobody knows before anything runs', async () => {
    const host = createFakeHost();

    const asked = { only: ['lint-x'], policy: aPolicy({ 'lint-a': {} }) };

    await expect(runOn(host, asked)).rejects.toThrow(/there is no engine "lint-x"; there are lint-a$/mu);
    expect(host.invocations).toEqual([]);
  });

  it('runs exactly the plan that is in the report (000.R9, 000.R44)', async () => {
    const host = createFakeHost({ files: ['src/a.py', 'src/b.py', 'lib/c.py'] });
    const policy = aPolicy({ 'lint-a': { args: ['--strict'], env: { MODE: 'x' }, cwd: 'src', paths: ['src'] } });

    const report = await runOn(host, { policy });

    const [plan] = report.plans;
    const invocation = host.invocations.find(({ name }) => name === 'lint-a-target');
    expect(plan).toMatchObject({ targets: ['src/a.py', 'src/b.py'], cwd: 'src', env: { MODE: 'x' } });
    expect(invocation).toMatchObject({
      argv: ['lint-a', '--strict', 'src/a.py', 'src/b.py'],
      cwd: plan?.cwd,
      env: plan?.env,
    });
    expect(onlyRun(report)).toMatchObject({ argv: invocation?.argv, cwd: 'src', planHash: plan?.hash });
  });

  it('looks at paths relative to the root of the host alone, whatever it is called (000.R7)', async () => {
    const of = async (root: string): Promise<unknown> => {
      const report = await runOn(createFakeHost({ root, run: () => FINDING }));
      return { ...onlyRun(report), plans: report.plans };
    };

    expect(await of('/elsewhere')).toEqual(await of('/repository'));
  });

  it('reads the definition of a problem matcher once it is needed', async () => {
    const host = createFakeHost({ files: ['src/a.py', 'm.json'], texts: { 'm.json': '{"problemMatcher":[]}' } });
    const declared: DeclaredEngine = {
      command: ['own'],
      format: 'matcher',
      kind: 'lint',
      globs: ['**/*.py'],
      targets: 'project',
      from: 'stdout',
      matcher: 'm.json',
      matcherText: null,
      fix: null,
      emptyMeansClean: false,
    };

    await runOn(host, { policy: aPolicy({ own: { declared } }) });

    expect(host.reads).toContain('m.json');
    expect(host.invocations.map(({ argv }) => argv)).toEqual([['own']]);
  });
});

describe('modes', () => {
  it('runs CURRENT before TARGET of one engine, never beside it (C22, 000.R15)', async () => {
    const host = createFakeHost({ files: ['src/a.py', 'src/b.py'] });

    const report = await runOn(host, { mode: 'both', scope: { cli: ['src/a.py'], env: null } });

    expect(host.journal.filter((line) => line.includes('lint-a-'))).toEqual([
      'begin lint-a-current',
      'end lint-a-current',
      'begin lint-a-target',
      'end lint-a-target',
    ]);
    expect(report.runs.map(({ mode, argv }) => [mode, ...argv])).toEqual([
      ['current', 'lint-a', 'src/a.py'],
      ['target', 'lint-a', 'src/a.py', 'src/b.py'],
    ]);
  });

  it('tells a run that stands for both modes by its decision, and never runs twice (000.R12)', async () => {
    const host = createFakeHost();

    const report = await runOn(host, { mode: 'both' });

    expect(report.runs.map(({ mode }) => mode)).toEqual(['target']);
    expect(report.dedup).toEqual([{ engine: 'lint-a', project: '.', ran: 'target' }]);
  });
});

describe('several engines', () => {
  const catalogue = ['c', 'a', 'b'].map((id) => aProgram(id));

  it('runs them beside each other, and tells of them in their order', async () => {
    const meet = createMeeting(3);
    const host = createFakeHost({
      run: async ({ name }) => {
        if (name !== 'versions') await meet();
        return FINDING;
      },
    });

    const report = await runOn(host, { catalogue, concurrency: 3 });

    expect(report.runs.map(({ engine }) => engine)).toEqual(['a', 'b', 'c']);
  });

  it('runs no more of them at one time than it may', async () => {
    const host = createFakeHost({ run: async () => FINDING });

    const report = await runOn(host, { catalogue, concurrency: 1 });

    expect(report.runs).toHaveLength(3);
    expect(host.mostAtOnce()).toBe(1);
  });

  it('begins with what may take longest', async () => {
    const host = createFakeHost();
    const slow = [aProgram('a'), aProgram('b', { timeoutMs: 9000 })];

    await runOn(host, { catalogue: slow, concurrency: 1 });

    expect(host.journal.filter((line) => line.startsWith('begin') && !line.includes('versions'))).toEqual([
      'begin b-target',
      'begin a-target',
    ]);
  });

  it.each([
    ['a tool that is not there', 'TOOL_NOT_FOUND', { exit: { kind: 'not_found', exitCode: null } }],
    ['a tool that cannot be started', 'TOOL_NOT_FOUND', { exit: { kind: 'not_launched', exitCode: null } }],
    ['a tool that takes too long', 'TIMEOUT', { exit: { kind: 'timed_out', exitCode: null, signal: 'SIGTERM' } }],
    ['a tool that crashes', 'CRASHED', { exit: { kind: 'signalled', exitCode: 139, signal: 'SIGSEGV' } }],
    ['a tool that fails', 'NO_OUTPUT', { exit: { exitCode: 2 }, stderr: 'no such option' }],
    ['a tool that floods', 'OUTPUT_LIMIT', { exit: { kind: 'output_limit', exitCode: null, signal: 'SIGKILL' } }],
  ] as const)('leaves the results of the others intact beside %s (000.R32, 003.R12)', async (_, kind, ending) => {
    const log = createMemoryLog();
    const host = createFakeHost({ run: ({ name }) => (name === 'b-target' ? ending : FINDING) });

    const report = await runOn(host, { catalogue, log });

    expect(report.engineErrors).toMatchObject([
      { engine: 'b', mode: 'target', kind, argv: ['b', 'src/a.py'], cwd: '.' },
    ]);
    expect(report.runs.map(({ engine, complete, findings }) => [engine, complete, findings.length])).toEqual([
      ['a', true, 1],
      ['b', false, 0],
      ['c', true, 1],
    ]);
    expect(log.lines).toMatchObject([
      {
        level: 'warn',
        message: 'an engine failed',
        fields: { engine: 'b', kind, command: 'b src/a.py', source: 'run' },
      },
    ]);
  });

  it.each([
    ['and nothing else (000.R33, R34)', '', [['NO_OUTPUT'], 0]],
    ['beside a finding on stdout (000.R34)', 'src/a.py:1\n', [[], 1]],
  ] as const)(
    'takes no line of stderr for a finding: a tool that writes them there %s',
    async (_what, stdout, expected) => {
      const host = createFakeHost({
        run: () => ({ stdout, stderr: 'src/b.py:7\n<stderr>:1\n', exit: { exitCode: 1 } }),
      });

      const { runs, engineErrors } = await runOn(host);

      expect([engineErrors.map(({ kind }) => kind), runs.flatMap(({ findings }) => findings).length]).toEqual(expected);
    },
  );

  it('warns of a tool that failed though it found something (003.R12)', async () => {
    const log = createMemoryLog();
    const codes = { success: [0], diagnostic: [], toolFailure: [1] };
    const catalogue = [aProgram('lint-a', { exitCodes: [{ versions: null, codes }] })];

    const report = await runOn(createFakeHost({ run: () => FINDING }), { catalogue, log });

    expect(onlyRun(report).findings).toHaveLength(1);
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { engine: 'lint-a', kind: 'TOOL_FAILURE_EXIT' } }]);
  });

  it('gives a failure all its fields (000.R37)', async () => {
    const host = createFakeHost({ run: () => ({ exit: { exitCode: 2 }, stderr: 'bad option' }) });

    const { engineErrors } = await runOn(host);

    expect(engineErrors).toEqual([
      {
        engine: 'lint-a',
        project: '.',
        mode: 'target',
        kind: 'NO_OUTPUT',
        message: 'it wrote nothing (exit code 2)',
        exitCode: 2,
        signal: null,
        argv: ['lint-a', 'src/a.py'],
        cwd: '.',
        stderr: 'bad option',
      },
    ]);
  });

  it('tells a mistake of our own as a failure of the one engine that it hit', async () => {
    const log = createMemoryLog();
    const broken = aProgram('b', {
      toCommands: () => {
        throw new RangeError('a mistake');
      },
    });

    const report = await runOn(createFakeHost({ run: () => FINDING }), { catalogue: [aProgram('a'), broken], log });

    expect(report.runs.map(({ engine }) => engine)).toEqual(['a']);
    expect(report.engineErrors).toMatchObject([
      { engine: 'b', kind: 'CRASHED', message: 'Ratchet itself failed while it ran; its log says why' },
    ]);
    expect(log.lines.map(({ level }) => level)).toEqual(['error']);
  });

  it('ends where what all of them need is gone: that is no fault of an engine', async () => {
    const disk = new RepositoryError('DISK_FAILED', 'the disk is full', { retry: 'later' });
    const host = createFakeHost({
      run: () => {
        throw disk;
      },
    });

    await expect(runOn(host, { catalogue, concurrency: 1 })).rejects.toBe(disk);
    expect(host.invocations).toHaveLength(1);
  });
});

describe('limits', () => {
  it.each([
    ['of the engine, where nothing else is said', {}, null, 1000],
    ['of the policy over that', { timeoutSeconds: 7 }, null, 7000],
    ['of the command over that', { timeoutSeconds: 7 }, 9, 9000],
    ['of the command over that of the engine', {}, 9, 9000],
  ] as const)('takes the time limit %s (C6, 000.R41)', async (_, settings, timeoutSeconds, expected) => {
    const host = createFakeHost();

    await runOn(host, { policy: aPolicy({ 'lint-a': settings }), timeoutSeconds });

    expect(host.invocations.find(({ name }) => name === 'lint-a-target')).toMatchObject({
      timeoutMs: expected,
      maxOutputBytes: 50 * 1024 * 1024,
    });
  });

  it.each([
    ['of the engine', { settings: {}, timeoutSeconds: null, most: 1 }, 1000],
    ['of the policy', { settings: { timeoutSeconds: 7 }, timeoutSeconds: null, most: 5 }, 5000],
    ['of the command', { settings: { timeoutSeconds: 3 }, timeoutSeconds: 9, most: 5 }, 5000],
    ['that is lower', { settings: { timeoutSeconds: 3 }, timeoutSeconds: null, most: 5 }, 3000],
  ] as const)("keeps the time limit %s below the operator's (C6)", async (_, given, expected) => {
    const { settings, timeoutSeconds, most } = given;
    const host = createFakeHost();

    await runOn(host, { policy: aPolicy({ 'lint-a': settings }), timeoutSeconds, maxTimeoutSeconds: most });

    expect(host.invocations.find(({ name }) => name === 'lint-a-target')).toMatchObject({ timeoutMs: expected });
  });

  it('stops everything at once on abort, starts nothing more, and gives no half report', async () => {
    const stop = new AbortController();
    const meet = createMeeting(2);
    const host = createFakeHost({
      run: async ({ name }, signal) => {
        if (name === 'versions') return {};
        await meet();
        stop.abort(new Error('stopped by a person'));
        if (!signal.aborted) await once(signal, 'abort');
        return { exit: { kind: 'aborted', exitCode: null, signal: 'SIGTERM' } };
      },
    });
    const catalogue = ['a', 'b', 'c', 'd'].map((id) => aProgram(id));

    await expect(runOn(host, { catalogue, concurrency: 2, signal: stop.signal })).rejects.toThrow(
      'stopped by a person',
    );
    expect(host.invocations.filter(({ name }) => name !== 'versions')).toHaveLength(2);
    expect(host.journal.filter((line) => line.startsWith('end') && !line.includes('versions'))).toHaveLength(2);
  });
});

it('tells what is at work, and how it ended', async () => {
  const events: EngineProgress[] = [];

  await runOn(createFakeHost({ run: () => FINDING }), { onProgress: (event) => void events.push(event) });

  expect(events).toEqual([
    { kind: 'started', engine: 'lint-a', project: '.', mode: 'target' },
    { kind: 'finished', engine: 'lint-a', project: '.', mode: 'target', findings: 1, error: null, durationMs: 0 },
  ]);
});
