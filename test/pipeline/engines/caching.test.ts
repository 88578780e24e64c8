import { describe, expect, it } from 'vitest';
import { CLASSIFIER_VERSION } from '../../../src/core/engines/classify-exit.ts';
import type { EngineSpec } from '../../../src/core/model/engine.ts';
import {
  aPolicy,
  aProgram,
  createFakeCache,
  createFakeHost,
  createMemoryLog,
  type Ending,
  type FakeHost,
  type FakeHostOptions,
  onlyRun,
  runOn,
} from './fake-host.ts';

const TEXTS = { 'src/a.py': 'import os\n' };

/** A tool of version 1.2.3 that finds one thing. */
function aHost({ version = 'tool 1.2.3', ending, ...options }: FakeHostOptions & Answers = {}): FakeHost {
  const found: Ending = ending ?? { stdout: 'src/a.py:1\n', exit: { exitCode: 1 } };
  const run = ({ name }: { readonly name: string }): Ending => (name === 'versions' ? { stdout: version } : found);
  return createFakeHost({ texts: TEXTS, run, ...options });
}

interface Answers {
  readonly version?: string;
  readonly ending?: Ending;
}

function ranTools({ invocations }: FakeHost): readonly string[] {
  return invocations.map(({ name }) => name).filter((name) => name !== 'versions');
}

describe('a run that was made before', () => {
  it('is taken in a fresh clone of the same content', async () => {
    const cache = createFakeCache();
    const first = await runOn(aHost(), { cache });
    const clone = aHost({ root: '/another/clone' });

    const second = await runOn(clone, { cache });

    expect(ranTools(clone)).toEqual([]);
    expect(onlyRun(second)).toEqual({ ...onlyRun(first), cached: true });
  });

  it('is taken where a policy says the same in other words', async () => {
    const cache = createFakeCache();
    await runOn(aHost(), { cache });
    const host = aHost();

    await runOn(host, { cache, policy: aPolicy({ 'lint-a': { args: [] } }) });

    expect(ranTools(host)).toEqual([]);
  });

  it('is told as such', async () => {
    const cache = createFakeCache();
    await runOn(aHost(), { cache });
    const kinds: string[] = [];

    await runOn(aHost(), { cache, onProgress: ({ kind }) => void kinds.push(kind) });

    expect(kinds).toEqual(['started', 'cached']);
  });

  const changes: readonly (readonly [string, FakeHostOptions & Answers, Partial<EngineSpec>, readonly string[]])[] = [
    ['the content of any file', { content: 'other' }, {}, []],
    ['the version of the tool', { version: 'tool 1.2.4' }, {}, []],
    ['an argument', {}, {}, ['--strict']],
    [
      'a configuration file',
      { files: ['lint-a.toml', 'src/a.py'], texts: { ...TEXTS, 'lint-a.toml': 'x = 1' } },
      {},
      [],
    ],
    ['whether dependencies are there', { dependencies: 'missing' }, {}, []],
  ];
  it.each(changes)('is not taken once %s is another', async (_, options, change, args) => {
    const cache = createFakeCache();
    await runOn(aHost(), { cache });
    const host = aHost(options);

    await runOn(host, { cache, catalogue: [aProgram('lint-a', change)], policy: aPolicy({ 'lint-a': { args } }) });

    expect(ranTools(host)).toEqual(['lint-a-target']);
  });

  it('is made anew where that is asked for, and then replaces the old one', async () => {
    const cache = createFakeCache();
    await runOn(aHost(), { cache });

    const report = await runOn(aHost({ ending: {} }), { cache, refresh: true });

    expect(onlyRun(report)).toMatchObject({ cached: false, findings: [] });
    expect([...cache.entries.values()]).toMatchObject([{ payload: { kind: 'empty' } }]);
  });

  it('keeps its category, the version of the rules that gave it, and the raw exit (003.R23, C8)', async () => {
    const cache = createFakeCache();

    await runOn(aHost(), { cache });

    expect([...cache.entries.values()]).toMatchObject([
      { category: 'diagnostic', classifierVersion: CLASSIFIER_VERSION, exit: { exitCode: 1 }, version: '1.2.3' },
    ]);
  });

  it.each([
    ['a success code other than zero', { exit: { exitCode: 5 } }, 1],
    ['a code of findings', { stdout: 'src/a.py:1\n', exit: { exitCode: 1 } }, 1],
    ['a code of failure beside findings', { stdout: 'src/a.py:1\n', exit: { exitCode: 2 } }, 0],
    ['a failure that exits with zero', { exit: { exitCode: 0 }, stdout: '', stderr: 'quiet' }, 0],
  ] as const)('is kept by its category, never by its raw code: %s (003.R28)', async (_, ending, kept) => {
    const cache = createFakeCache();
    const codes = { success: [5], diagnostic: [1], toolFailure: [0, 2] };
    const catalogue = [aProgram('lint-a', { exitCodes: [{ versions: null, codes }] })];

    await runOn(aHost({ ending }), { cache, catalogue });

    expect(cache.entries.size).toBe(kept);
  });

  it('is judged anew by the rules of now, and warned of if it failed by them (003.R12, R24)', async () => {
    const cache = createFakeCache();
    const log = createMemoryLog();
    await runOn(aHost(), { cache, log });
    const stricter = { success: [0], diagnostic: [], toolFailure: [1] };
    const catalogue = [aProgram('lint-a', { exitCodes: [{ versions: null, codes: stricter }] })];

    const report = await runOn(aHost(), { cache, catalogue, log });

    expect(onlyRun(report)).toMatchObject({ cached: true, category: 'tool_failure', complete: false });
    expect(report.engineErrors).toMatchObject([{ kind: 'TOOL_FAILURE_EXIT' }]);
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { source: 'cache' } }]);
  });
});

describe('what is never taken again', () => {
  it.each([
    ['an engine that runs tests', { isCacheable: false }, {}],
    ['a run that failed', {}, { ending: { exit: { exitCode: 2 } } }],
    ['a tool whose version nobody knows', {}, { version: 'no idea' }],
  ] as const)('%s', async (_, change, options) => {
    const cache = createFakeCache();
    const catalogue = [aProgram('lint-a', change)];
    await runOn(aHost(options), { cache, catalogue });
    const host = aHost(options);

    await runOn(host, { cache, catalogue });

    expect(cache.entries.size).toBe(0);
    expect(ranTools(host)).toEqual(['lint-a-target']);
  });

  it('a cache that cannot be used is told, and does no harm', async () => {
    const log = createMemoryLog();
    const cache = {
      get: () => Promise.reject(new Error('unreadable')),
      put: () => Promise.reject(new Error('full')),
    };

    const report = await runOn(aHost(), { cache, log });

    expect(onlyRun(report)).toMatchObject({ complete: true, cached: false });
    expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'warn']);
  });
});
