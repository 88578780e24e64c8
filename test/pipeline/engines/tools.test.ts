import { describe, expect, it } from 'vitest';
import type { ArgsInput, EngineSpec, Launcher } from '../../../src/core/model/engine.ts';
import type { Invocation } from '../../../src/ports/engine-host.ts';
import { aPolicy, aProgram, createFakeCache, createFakeHost, type Ending, onlyRun, runOn } from './fake-host.ts';

const NODE: Launcher = { kind: 'node', script: '@scope/tool/bin/tool.js' };
const PYTHON: Launcher = { kind: 'python', module: 'tool.main', distribution: 'tool' };
const PROGRAM: Launcher = { kind: 'program', name: 'tool', versionArgs: ['--version'] };

function aTool(launchers: readonly Launcher[], change: Partial<EngineSpec> = {}): EngineSpec {
  return aProgram('tool', { launchers, ...change });
}

/** An interpreter that has these distributions; each other tool says nothing. */
function answer(versions: Readonly<Record<string, string>>, installed: readonly string[] = []) {
  return ({ name, argv }: Invocation): Ending =>
    name === 'versions' && argv.includes('-c') ? { stdout: `noise\n${JSON.stringify({ versions, installed })}\n` } : {};
}

const PACKAGE = 'node_modules/@scope/tool';

describe('a tool of Node', () => {
  it('is started by its path below node_modules, never by the name of a link, and its version read', async () => {
    const texts = { [`${PACKAGE}/bin/tool.js`]: '', [`${PACKAGE}/package.json`]: '{"version":"9.8.7"}' };
    const host = createFakeHost({ texts });

    const run = onlyRun(await runOn(host, { catalogue: [aTool([NODE])] }));

    expect(run).toMatchObject({
      argv: ['/usr/bin/node', `/repository/${PACKAGE}/bin/tool.js`, 'src/a.py'],
      version: '9.8.7',
    });
    expect(host.invocations).toHaveLength(1);
  });

  it.each([
    ['without package.json', {}],
    ['with a broken one', { [`${PACKAGE}/package.json`]: '{' }],
    ['with one that names none', { [`${PACKAGE}/package.json`]: '{"version":7}' }],
  ])('has no version %s', async (_, more) => {
    const host = createFakeHost({ texts: { [`${PACKAGE}/bin/tool.js`]: '', ...more } });

    expect(onlyRun(await runOn(host, { catalogue: [aTool([NODE])] }))).toMatchObject({ version: null });
  });

  it('is looked for next to the folder that it runs in, too', async () => {
    const texts = { [`web/${PACKAGE}/bin/tool.js`]: '', [`web/${PACKAGE}/package.json`]: '{"version":"1.0.0"}' };
    const host = createFakeHost({ texts, files: ['web/a.py'] });

    const run = onlyRun(await runOn(host, { catalogue: [aTool([NODE])], policy: aPolicy({ tool: { cwd: 'web' } }) }));

    expect(run).toMatchObject({ argv: ['/usr/bin/node', `/repository/web/${PACKAGE}/bin/tool.js`, 'web/a.py'] });
  });

  it('that is not there is told as not found by who tried it (000.R32)', async () => {
    const stderr = `Error: Cannot find module '/repository/${PACKAGE}/bin/tool.js'`;
    const host = createFakeHost({ run: () => ({ exit: { exitCode: 1 }, stderr }) });

    const report = await runOn(host, { catalogue: [aTool([NODE])] });

    expect(report.engineErrors).toMatchObject([{ kind: 'TOOL_NOT_FOUND' }]);
  });

  it('is cached no longer once what is installed beside it changes', async () => {
    const cache = createFakeCache();
    const base = { [`${PACKAGE}/bin/tool.js`]: '', [`${PACKAGE}/package.json`]: '{"version":"1.0.0"}' };
    const runWith = async (lock: string): Promise<boolean> => {
      const texts = { ...base, 'node_modules/.package-lock.json': lock };
      return onlyRun(await runOn(createFakeHost({ texts }), { catalogue: [aTool([NODE])], cache })).cached;
    };

    expect([await runWith('plugin@1'), await runWith('plugin@1'), await runWith('plugin@2')]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('a tool of Python', () => {
  it.each([
    ['the virtual environment', { '.venv/bin/python': '', 'uv.lock': '' }, ['/repository/.venv/bin/python']],
    ['uv', { 'uv.lock': '', 'poetry.lock': '' }, ['uv', 'run', 'python']],
    ['poetry', { 'poetry.lock': '' }, ['poetry', 'run', 'python']],
    ['the machine', {}, ['python3']],
  ])('is a module of the interpreter of %s (000.R19, C7)', async (_, texts, interpreter) => {
    const host = createFakeHost({ texts, run: answer({ tool: '3.4' }) });

    const run = onlyRun(await runOn(host, { catalogue: [aTool([PYTHON])] }));

    expect(run).toMatchObject({ argv: [...interpreter, '-m', 'tool.main', 'src/a.py'], version: '3.4' });
    expect(host.invocations[0]?.argv.slice(0, interpreter.length)).toEqual(interpreter);
  });

  it('asks an interpreter once for all that the engines need', async () => {
    const host = createFakeHost({ run: answer({ tool: '3.4', other: '5.6' }) });
    const other: Launcher = { kind: 'python', module: 'other', distribution: 'other' };
    const catalogue = [aTool([PYTHON]), aProgram('other', { launchers: [other], companions: ['plugin'] })];

    const report = await runOn(host, { catalogue });

    const probes = host.invocations.filter(({ name }) => name === 'versions');
    expect(probes.map(({ argv }) => argv.slice(-3))).toEqual([['other', 'plugin', 'tool']]);
    expect(report.runs.map(({ version }) => version)).toEqual(['5.6', '3.4']);
  });

  it('is told which of its plugins are there', async () => {
    const seen: ArgsInput[] = [];
    const spec = aTool([PYTHON], {
      companions: ['plugin-a', 'plugin-b'],
      toCommands: (input) => {
        seen.push(input);
        return [[]];
      },
    });

    await runOn(createFakeHost({ run: answer({ tool: '3.4', 'plugin-b': '1' }) }), { catalogue: [spec] });

    expect(seen[0]).toMatchObject({ companions: ['plugin-b'], version: '3.4', root: '/repository' });
  });

  it('makes way for the next launcher where the interpreter does not have it', async () => {
    const host = createFakeHost({ run: answer({}) });

    expect(onlyRun(await runOn(host, { catalogue: [aTool([PYTHON, PROGRAM])] })).argv[0]).toBe('tool');
  });

  it('that is nowhere is tried by its last launcher', async () => {
    const host = createFakeHost({ run: answer({}) });

    expect(onlyRun(await runOn(host, { catalogue: [aTool([NODE, PYTHON])] })).argv).toContain('-m');
  });

  it.each([
    ['fails', { exit: { exitCode: 1 } }],
    ['prints something else', { stdout: 'Python 2.7' }],
    ['prints JSON of another kind', { stdout: '[1]' }],
  ] as const)('is still run where the interpreter, when asked, %s', async (_, ending) => {
    const host = createFakeHost({ run: ({ name }) => (name === 'versions' ? ending : {}) });

    const run = onlyRun(await runOn(host, { catalogue: [aTool([PYTHON, PROGRAM])] }));

    expect(run).toMatchObject({ version: null, argv: ['python3', '-m', 'tool.main', 'src/a.py'] });
  });
});

describe('a tool of Node that reads Python', () => {
  const there = { [`${PACKAGE}/bin/tool.js`]: '', [`${PACKAGE}/package.json`]: '{"version":"1.0.0"}' };
  const executable = '/somewhere/bin/python';

  function asks(text: Readonly<Record<string, unknown>>) {
    return ({ name }: Invocation): Ending => (name === 'versions' ? { stdout: JSON.stringify(text) } : {});
  }

  it.each([
    ['a virtual environment', { '.venv/bin/python': '' }, executable],
    ['uv', { 'uv.lock': '' }, executable],
    ['the machine, whose interpreter it finds by itself', {}, null],
  ])('is told of the interpreter of %s (C7)', async (_, texts, expected) => {
    const seen: ArgsInput[] = [];
    const toCommands = (input: ArgsInput): readonly (readonly string[])[] => {
      seen.push(input);
      return [[]];
    };
    const host = createFakeHost({
      texts: { ...there, ...texts },
      run: asks({ executable, versions: {}, installed: [] }),
    });

    await runOn(host, { catalogue: [aTool([NODE], { readsPython: true, toCommands }), aProgram('other')] });

    expect(seen[0]?.python).toBe(expected);
  });

  it.each([
    ['says nothing', { versions: {}, installed: [] }],
    ['tells no path', { executable: 'python', versions: {}, installed: [] }],
    ['cannot be asked', { versions: null }],
  ])('is told of none where the interpreter %s', async (_, text) => {
    const toCommands = ({ python }: ArgsInput): readonly (readonly string[])[] => [[String(python)]];
    const host = createFakeHost({ texts: { ...there, '.venv/bin/python': '' }, run: asks(text) });

    const run = onlyRun(await runOn(host, { catalogue: [aTool([NODE], { readsPython: true, toCommands })] }));

    expect(run.argv.at(-1)).toBe('null');
  });

  it('is cached no longer once what is installed for Python changes', async () => {
    const cache = createFakeCache();
    const runWith = async (installed: readonly string[]): Promise<boolean> => {
      const host = createFakeHost({ texts: there, run: asks({ executable, versions: {}, installed }) });
      return onlyRun(await runOn(host, { catalogue: [aTool([NODE], { readsPython: true })], cache })).cached;
    };

    expect([await runWith(['a-1']), await runWith(['a-1']), await runWith(['a-2'])]).toEqual([false, true, false]);
  });
});

describe('a program of the machine', () => {
  it('is asked for its version once, though several engines use it', async () => {
    const versions = { kind: 'program', name: 'go', versionArgs: ['version'] } as const;
    const host = createFakeHost({
      run: ({ name }) => (name === 'versions' ? { stdout: 'go version go1.19.8 linux/amd64' } : {}),
    });
    const catalogue = ['go-test', 'go-vet'].map((id) => aProgram(id, { launchers: [versions] }));

    const report = await runOn(host, { catalogue });

    expect(host.invocations.filter(({ name }) => name === 'versions')).toHaveLength(1);
    expect(report.runs.map(({ version }) => version)).toEqual(['1.19.8', '1.19.8']);
  });

  it('is asked one after the other, as all of that has one name on the host', async () => {
    const host = createFakeHost();
    await runOn(host, { catalogue: [aProgram('a'), aProgram('b')] });

    const journal = host.journal.filter((line) => line.endsWith('versions'));
    expect(journal).toEqual(['begin versions', 'end versions', 'begin versions', 'end versions']);
  });
});
