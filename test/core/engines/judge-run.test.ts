import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyExit, indicatesFailure } from '../../../src/core/engines/classify-exit.ts';
import { type JudgedRun, type JudgeInput, judgeRun } from '../../../src/core/engines/judge-run.ts';
import type { EngineSpec, Payload, RawExit } from '../../../src/core/model/engine.ts';
import type { ParsedFinding } from '../../../src/core/model/finding.ts';
import { forge } from '../../support/builders.ts';

type ParsedPayload = Extract<Payload, { readonly kind: 'parsed' }>;

function aParsedFinding(change: Partial<ParsedFinding> = {}): ParsedFinding {
  return {
    ...{ kind: 'lint', rule: 'no-var', severity: 'high', native: 'error', message: 'Unexpected var.', path: 'a.js' },
    ...{ line: 1, column: 5, endLine: 1, testId: null, identity: null },
    ...change,
  };
}

/** 1 means findings, 2 a failure, all others but 0 are not listed. */
function aSpec(change: Partial<EngineSpec> = {}): EngineSpec {
  return {
    ...{ id: 'lint', kind: 'lint', globs: ['**/*.js'], targetMode: 'files', launchers: [], toCommands: () => [[]] },
    output: { from: 'stdout', emptyMeansClean: false },
    parse: () => ({ kind: 'empty' }),
    exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2] } }],
    ...{ configFiles: [], detection: {}, env: {}, timeoutMs: 60_000, isFix: false, ignoreExit: [] },
    ...{ dependencyRules: [], isCacheable: true },
    ...change,
  };
}

function parsed(change: Partial<ParsedPayload> = {}): ParsedPayload {
  return { kind: 'parsed', findings: [], partial: null, toolFailure: null, tests: null, coverage: null, ...change };
}

function exited(exitCode: number | null): RawExit {
  return { kind: 'exited', exitCode, signal: null, durationMs: 900 };
}

/** Ended by a signal, or with a code all the same. */
function anEnd(kind: RawExit['kind'], how: string | number | null): RawExit {
  const [exitCode, signal] = typeof how === 'number' ? [how, null] : [null, how];
  return { kind, exitCode, signal, durationMs: 5 };
}

function anInput(change: Partial<JudgeInput> = {}): JudgeInput {
  return {
    spec: aSpec(),
    plan: { engine: 'lint', project: '.', mode: 'current' },
    settings: { exitCodes: {}, ignoreExit: [] },
    version: '1.0.0',
    argv: ['/bin/lint', '--json', 'a.js'],
    cwd: 'web',
    exit: exited(0),
    payload: parsed(),
    stderr: '',
    dependencies: 'ready',
    ...change,
  };
}

function judge(change: Partial<JudgeInput> = {}): JudgedRun {
  return judgeRun(anInput(change));
}

const FINDING = aParsedFinding();
const FOUND = parsed({ findings: [FINDING] });
const EMPTY_IS_CLEAN = aSpec({ output: { from: 'stdout', emptyMeansClean: true } });

const PAYLOADS = {
  findings: FOUND,
  'no finding': parsed(),
  nothing: { kind: 'empty' },
  'no report': { kind: 'missing' },
  nonsense: { kind: 'invalid', why: 'no JSON at 1:1' },
} as const satisfies Readonly<Record<string, Payload>>;

describe('judgeRun: the payload against the exit code', () => {
  it.each([
    ['C1 and 000.R29: findings', 'success', 0, { category: 'success', returnCode: 0, kind: null }],
    ['C1, 000.R29 and R39: findings', 'diagnostic', 1, { category: 'diagnostic', returnCode: 1, kind: null }],
    ['C1, 000.R29, R39 and 003.R7: findings', 'unlisted', 9, { category: 'diagnostic', returnCode: 9, kind: null }],
    [
      'C1, 003.R4 and R21: findings',
      'toolFailure',
      2,
      { category: 'tool_failure', returnCode: 2, kind: 'TOOL_FAILURE_EXIT' },
    ],
    ['no finding', 'success', 0, { category: 'success', returnCode: 0, kind: null }],
    ['C10: no finding', 'diagnostic', 1, { category: 'diagnostic', returnCode: 1, kind: 'EXIT_WITHOUT_FINDINGS' }],
    ['003.R10: no finding', 'unlisted', 9, { category: 'unknown', returnCode: 9, kind: 'EXIT_WITHOUT_FINDINGS' }],
    ['003.R4: no finding', 'toolFailure', 2, { category: 'tool_failure', returnCode: 2, kind: 'TOOL_FAILURE_EXIT' }],
    ['000.R31 and R33: nothing', 'success', 0, { category: 'success', returnCode: 0, kind: 'NO_OUTPUT' }],
    ['000.R31 and R33: nothing', 'diagnostic', 1, { category: 'diagnostic', returnCode: 1, kind: 'NO_OUTPUT' }],
    ['000.R31 and R33: nothing', 'unlisted', 9, { category: 'unknown', returnCode: 9, kind: 'NO_OUTPUT' }],
    ['000.R31 and R33: nothing', 'toolFailure', 2, { category: 'tool_failure', returnCode: 2, kind: 'NO_OUTPUT' }],
    ['000.R30 and R31: no report', 'success', 0, { category: 'success', returnCode: 0, kind: 'NO_OUTPUT' }],
    ['000.R30 and R31: no report', 'diagnostic', 1, { category: 'diagnostic', returnCode: 1, kind: 'NO_OUTPUT' }],
    ['000.R30 and R31: no report', 'unlisted', 9, { category: 'unknown', returnCode: 9, kind: 'NO_OUTPUT' }],
    ['000.R30 and R31: no report', 'toolFailure', 2, { category: 'tool_failure', returnCode: 2, kind: 'NO_OUTPUT' }],
    ['000.R30: nonsense', 'success', 0, { category: 'success', returnCode: 0, kind: 'JSON_PARSE_FAILED' }],
    ['000.R30: nonsense', 'diagnostic', 1, { category: 'diagnostic', returnCode: 1, kind: 'JSON_PARSE_FAILED' }],
    ['000.R30: nonsense', 'unlisted', 9, { category: 'unknown', returnCode: 9, kind: 'JSON_PARSE_FAILED' }],
    ['000.R30: nonsense', 'toolFailure', 2, { category: 'tool_failure', returnCode: 2, kind: 'JSON_PARSE_FAILED' }],
  ])('%s with a code of %s (%i)', (what, _class, exitCode, { kind, ...verdict }) => {
    const payload = Object.entries(PAYLOADS).find(([name]) => what.endsWith(name))?.[1] ?? parsed();
    const judged = judge({ payload, exit: exited(exitCode), stderr: 'something went wrong' });

    expect(judged).toMatchObject({ ...verdict, complete: kind === null, classifierVersion: 3 });
    expect(judged.error?.kind ?? null).toBe(kind);
    expect(judged.findings).toEqual(what.endsWith(' findings') ? [FINDING] : []);
    expect(judged.incompleteWhy).toBe(judged.error?.message ?? null);
  });

  it.each([
    ['success', 0, {}, null],
    ['diagnostic', 1, {}, 'NO_OUTPUT'],
    ['unlisted', 9, {}, 'NO_OUTPUT'],
    ['toolFailure', 2, {}, 'NO_OUTPUT'],
    ['success by the policy', 9, { success: [9] }, null],
    ['toolFailure by the policy', 0, { toolFailure: [0] }, 'NO_OUTPUT'],
  ])(
    'C4: takes nothing at all as clean where the tool is silent then: %s (%i)',
    (_class, exitCode, exitCodes, kind) => {
      const judged = judge({
        spec: EMPTY_IS_CLEAN,
        payload: { kind: 'empty' },
        exit: exited(exitCode),
        settings: { exitCodes, ignoreExit: [] },
      });

      expect(judged.error?.kind ?? null).toBe(kind);
      expect(judged).toMatchObject({ complete: kind === null, findings: [], tests: null, coverage: null });
    },
  );

  it.each(['no report', 'nonsense'] as const)('C4: never takes %s as clean', (what) => {
    expect(judge({ spec: EMPTY_IS_CLEAN, payload: PAYLOADS[what] })).toMatchObject({ complete: false, findings: [] });
  });

  it.each([
    ['000.R32: not_found', anEnd('not_found', null), 'TOOL_NOT_FOUND', 'the tool was not found: there is no lint'],
    ['000.R32: not_launched', anEnd('not_launched', null), 'TOOL_NOT_FOUND', 'the tool could not be started'],
    ['000.R38: timed_out', anEnd('timed_out', 'SIGKILL'), 'TIMEOUT', 'it did not end in time and was killed'],
    ['000.R38: timed_out, then 0', anEnd('timed_out', 0), 'TIMEOUT', 'it did not end in time and was killed'],
    ['memory_limit', anEnd('memory_limit', null), 'CRASHED', 'it used more memory than it may and was killed'],
    ['process_limit', anEnd('process_limit', null), 'CRASHED', 'it started more processes than it may and was killed'],
    ['disk_quota', anEnd('disk_quota', null), 'CRASHED', 'it wrote more to the disk than it may and was killed'],
    ['000.R40: output_limit', anEnd('output_limit', null), 'OUTPUT_LIMIT', 'it wrote more than it may and was killed'],
    ['000.R38: signalled', anEnd('signalled', 'SIGSEGV'), 'CRASHED', 'it was ended by SIGSEGV'],
    ['000.R38: signalled by what is not told', anEnd('signalled', null), 'CRASHED', 'it was ended by a signal'],
    ['000.R40: aborted', anEnd('aborted', 143), 'ABORTED', 'it was stopped before it ended'],
    ['000.R38: exited without a code', anEnd('exited', null), 'CRASHED', 'it ended without an exit code'],
  ] as const)(
    'takes an end that is none of its own for a tool failure, whatever it wrote (003.R4): %s',
    (_what, exit, kind, message) => {
      for (const [name, payload] of Object.entries(PAYLOADS)) {
        const judged = judge({ spec: EMPTY_IS_CLEAN, payload, exit });

        expect(judged).toMatchObject({
          category: 'tool_failure',
          returnCode: exit.exitCode,
          complete: false,
          incompleteWhy: message,
        });
        expect(judged.error).toMatchObject({ kind, message, exitCode: exit.exitCode, signal: exit.signal });
        expect(judged.findings).toEqual(name === 'findings' ? [FINDING] : []);
      }
    },
  );
});

describe('judgeRun: the category against the raw code', () => {
  const CLEAN = parsed();
  it.each([
    ['success', CLEAN, { complete: true, kind: null }],
    ['diagnostic', CLEAN, { complete: false, kind: 'EXIT_WITHOUT_FINDINGS' }],
    ['toolFailure', CLEAN, { complete: false, kind: 'TOOL_FAILURE_EXIT' }],
    ['success', FOUND, { complete: true, kind: null }],
    ['diagnostic', FOUND, { complete: true, kind: null }],
    ['toolFailure', FOUND, { complete: false, kind: 'TOOL_FAILURE_EXIT' }],
  ] as const)(
    '003.R28: goes by the category that is declared for a code, whatever the raw code: %s',
    (list, payload, { complete, kind }) => {
      for (const code of [0, 3, 255]) {
        const codes = { success: [], diagnostic: [], toolFailure: [], [list]: [code] };
        const spec = aSpec({ exitCodes: [{ versions: null, codes }] });
        const judged = judge({ spec, payload, exit: exited(code) });

        expect([judged.complete, judged.error?.kind ?? null]).toEqual([complete, kind]);
        expect(judged.findings).toEqual(payload.findings);
      }
    },
  );
});

describe('judgeRun: what no type allows', () => {
  it('refuses an end and a payload of unknown kinds', () => {
    const end = forge<RawExit['kind']>('"vanished"');

    expect(() => judge({ exit: anEnd(end, null) })).toThrow('unexpected value');
    expect(() => judge({ payload: forge<Payload>('{"kind":"odd"}') })).toThrow('unexpected value');
  });
});

describe('judgeRun: what the tool says of itself', () => {
  it.each([
    ['with findings', FOUND.findings, 0, 'success'],
    ['with findings and their code', FOUND.findings, 1, 'diagnostic'],
    ['without', [], 0, 'success'],
    ['without, with another code', [], 9, 'unknown'],
  ])('003.R4: takes its word that it failed, and keeps the findings: %s', (_what, findings, exitCode, category) => {
    const judged = judge({
      payload: parsed({ findings, toolFailure: 'no  configuration\nfound' }),
      exit: exited(exitCode),
    });

    expect(judged).toMatchObject({ category, complete: false, findings });
    expect(judged.error).toMatchObject({
      kind: 'TOOL_FAILURE_EXIT',
      message: 'it says that it failed: no configuration found',
      exitCode,
    });
  });

  it.each([
    ['with findings', FOUND.findings, 1],
    ['without', [], 0],
  ])('takes its word that it looked at a part only, which is no error: %s', (_what, findings, exitCode) => {
    const judged = judge({
      payload: parsed({ findings, partial: 'errors prevented further checking' }),
      exit: exited(exitCode),
    });

    expect(judged).toMatchObject({
      ...{ complete: false, incompleteWhy: 'errors prevented further checking', error: null, findings },
    });
  });

  it('tells of a failure rather than of the part that was looked at', () => {
    const judged = judge({ payload: parsed({ partial: 'interrupted' }), exit: exited(2) });

    expect(judged).toMatchObject({ complete: false, incompleteWhy: 'exit code 2 means that it failed' });
    expect(judged.error?.kind).toBe('TOOL_FAILURE_EXIT');
  });

  it.each([
    ['as it is', 'x'.repeat(500), 'x'.repeat(500)],
    ['cut', 'x'.repeat(501), `${'x'.repeat(500)}…`],
    ['on one line', ' a\n\n b ', 'a b'],
  ])('tells why it cannot be read, %s', (_how, why, told) => {
    const { error } = judge({ payload: { kind: 'invalid', why } });

    expect(error?.message).toBe(`what it wrote cannot be read: ${told} (exit code 0)`);
  });

  it.each([
    ['empty', 'it wrote nothing (exit code 9)'],
    ['missing', 'it wrote no report (exit code 9)'],
  ] as const)('tells what is not there: %s', (kind, message) => {
    expect(judge({ payload: { kind }, exit: exited(9) }).error?.message).toBe(message);
  });

  it('tells that a code is explained by nothing', () => {
    expect(judge({ exit: exited(9) }).error?.message).toBe('exit code 9, but it names nothing that is wrong');
  });
});

describe('judgeRun: the tool that is not there', () => {
  const PYTHON = ['/work/.venv/bin/python', '-m', 'mypy', '-m', 'app'];
  const NODE = aSpec({
    launchers: [
      { kind: 'program', name: 'eslint', versionArgs: [] },
      { kind: 'node', script: 'eslint/bin/eslint.js' },
    ],
  });
  const said = (module: string): string => `/work/.venv/bin/python: No module named ${module}\n`;

  it.each([
    ['by name', PYTHON, said('mypy'), 'mypy'],
    ['in quotes', PYTHON, "ModuleNotFoundError: No module named 'mypy'", 'mypy'],
    [
      'that is a package only',
      PYTHON,
      said("mypy.__main__; 'mypy' is a package and cannot be directly executed"),
      'mypy',
    ],
    ['of which the package is missing', ['python', '-m', 'a.b'], "(ModuleNotFoundError: No module named 'a')", 'a.b'],
    ['that another one runs', ['python', '-m', 'coverage', 'run', '-m', 'pytest'], said('pytest'), 'pytest'],
  ])('000.R32: sees that Python has no module %s', (_what, argv, stderr, module) => {
    const judged = judge({ argv, stderr, payload: { kind: 'empty' }, exit: exited(1) });

    expect(judged.error).toMatchObject({
      ...{ kind: 'TOOL_NOT_FOUND', message: `the tool was not found: there is no ${module}`, exitCode: 1 },
    });
    expect(judged).toMatchObject({ complete: false, findings: [] });
  });

  it('000.R32: sees it whatever was parsed, as long as it says nothing', () => {
    for (const payload of [PAYLOADS['no report'], PAYLOADS.nonsense, parsed(), parsed({ tests: [] })]) {
      expect(judge({ argv: PYTHON, stderr: said('mypy'), payload, exit: exited(1) }).error?.kind).toBe(
        'TOOL_NOT_FOUND',
      );
    }
  });

  const TESTS = [{ id: 'a', outcome: 'passed', path: null }] as const;
  it.each([
    ['there are findings', { payload: FOUND }, undefined],
    ['tests ran', { payload: parsed({ tests: TESTS }) }, 'EXIT_WITHOUT_FINDINGS'],
    ['another exit code', { exit: exited(2) }, 'NO_OUTPUT'],
    ['it misses a module itself', { stderr: said('mypy_extensions') }, 'NO_OUTPUT'],
    ['it misses a part of itself', { stderr: said('mypy.main') }, 'NO_OUTPUT'],
    ['the module is no tool', { argv: ['python', 'run.py', 'mypy'] }, 'NO_OUTPUT'],
    ['it says nothing of it', { stderr: 'mypy crashed' }, 'NO_OUTPUT'],
  ])('does not say so where %s', (_what, change, kind) => {
    const base = { argv: PYTHON, stderr: said('mypy'), payload: PAYLOADS.nothing, exit: exited(1) };

    expect(judge({ ...base, ...change }).error?.kind).toBe(kind);
  });

  it('000.R32: sees that Node has no script', () => {
    const stderr =
      "node:internal/modules/cjs/loader:1228\n  throw err;\n\nError: Cannot find module '/work/node_modules/eslint/bin/eslint.js'\n  code: 'MODULE_NOT_FOUND'";
    const { error } = judge({ spec: NODE, stderr, payload: PAYLOADS.nothing, exit: exited(1) });

    expect(error).toMatchObject({
      ...{ kind: 'TOOL_NOT_FOUND', message: 'the tool was not found: there is no eslint/bin/eslint.js' },
    });
  });

  it.each([
    ['a module that the tool misses', NODE, "Error: Cannot find module '/work/node_modules/ajv/ajv.js'"],
    ['a script of that name elsewhere', NODE, "Error: Cannot find module '/work/my_node_modules/eslint/bin/eslint.js'"],
    ['nothing', NODE, 'eslint/bin/eslint.js crashed'],
    [
      'a script of a tool that is none of Node',
      aSpec(),
      "Error: Cannot find module '/work/node_modules/eslint/bin/eslint.js'",
    ],
  ])('does not take %s for it', (_what, spec, stderr) => {
    expect(judge({ spec, stderr, payload: PAYLOADS.nothing, exit: exited(1) }).error?.kind).toBe('NO_OUTPUT');
  });
});

describe('judgeRun: dependencies', () => {
  const spec = aSpec({ dependencyRules: ['import-not-found', 'TS2307'] });
  const missing = aParsedFinding({ rule: 'import-not-found' });
  const syntax = aParsedFinding({ rule: null });

  it('drops what missing ones make a tool say, and is not complete', () => {
    const payload = parsed({ findings: [missing, FINDING, syntax, aParsedFinding({ rule: 'TS2307' })] });
    const judged = judge({ spec, payload, exit: exited(1), dependencies: 'missing' });

    expect(judged).toMatchObject({
      ...{ complete: false, incompleteWhy: 'dependencies are not there', findings: [FINDING, syntax], error: null },
    });
  });

  it('counts what was dropped as the reason of the exit code', () => {
    const judged = judge({ spec, payload: parsed({ findings: [missing] }), exit: exited(1), dependencies: 'missing' });

    expect(judged).toMatchObject({ category: 'diagnostic', returnCode: 1, findings: [], error: null, complete: false });
  });

  it('is not complete without a word of them, too', () => {
    expect(judge({ spec, dependencies: 'missing' })).toMatchObject({ complete: false, error: null });
  });

  it('says first what the tool says', () => {
    const judged = judge({ spec, payload: parsed({ partial: 'interrupted' }), dependencies: 'missing' });

    expect(judged.incompleteWhy).toBe('interrupted');
  });

  it('keeps everything where they are there, and of a tool that does not need them', () => {
    const payload = parsed({ findings: [missing] });

    expect(judge({ spec, payload, exit: exited(1) })).toMatchObject({ complete: true, findings: [missing] });
    expect(judge({ payload, exit: exited(1), dependencies: 'missing' })).toMatchObject({
      complete: true,
      findings: [missing],
    });
  });
});

describe('judgeRun: stories of tools', () => {
  it.each([
    ['pytest: failed tests are findings of a complete run', 1, { kind: 'test_failure', testId: 't.py::a' }],
    [
      'C21: coverage.py: a missed threshold is a finding, no tool failure',
      9,
      { kind: 'coverage_threshold', rule: null, path: null },
    ],
  ] as const)('%s', (_what, exitCode, change) => {
    const tests = [{ id: 't.py::a', outcome: 'failed', path: 't.py' }] as const;
    const coverage = { files: [{ path: 'a.py', covered: 1, total: 2, missingLines: [2] }] };
    const findings = [aParsedFinding(change)];
    const judged = judge({ payload: parsed({ findings, tests, coverage }), exit: exited(exitCode) });

    expect(judged).toMatchObject({ category: 'diagnostic', complete: true, error: null, findings, tests, coverage });
  });

  it('vitest: an unhandled error, of which the report says nothing, is no green run', () => {
    const payload = parsed({ tests: [{ id: 'a', outcome: 'passed', path: 'a.test.ts' }] });
    const judged = judge({ payload, exit: exited(1), stderr: 'Unhandled Rejection' });

    expect(judged.error?.kind).toBe('EXIT_WITHOUT_FINDINGS');
    expect(judged).toMatchObject({ complete: false, findings: [], tests: payload.tests });
  });

  it('pyright: findings made with default rules, for its configuration is broken, are shown and prove nothing', () => {
    const spec = aSpec({
      exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2, 3, 4] } }],
    });

    expect(judge({ spec, payload: FOUND, exit: exited(3) })).toMatchObject({
      ...{ findings: [FINDING], complete: false, category: 'tool_failure', error: { kind: 'TOOL_FAILURE_EXIT' } },
    });
  });

  it('shellcheck: no comments on a file that is not there is no clean run', () => {
    expect(judge({ exit: exited(2), stderr: 'a.sh: openBinaryFile: does not exist' })).toMatchObject({
      complete: false,
    });
  });

  it('PyQA: a broken tool that ends with 0 and writes no JSON is not clean', () => {
    const judged = judge({ payload: PAYLOADS.nonsense, exit: exited(0) });

    expect(judged).toMatchObject({ complete: false, returnCode: 0, error: { kind: 'JSON_PARSE_FAILED', exitCode: 0 } });
  });

  it.each([
    ['C11: pylint by its convention', { id: 'lint', convention: 'pylint' }, 1, ['tool_failure', 'TOOL_FAILURE_EXIT']],
    ['C11: pylint by its id', { id: 'pylint' }, 32, ['tool_failure', 'TOOL_FAILURE_EXIT']],
    ['003.R8: tombi', { convention: 'tombi' }, 2, ['success', undefined]],
    ['003.R16: a fixer', { isFix: true }, 1, ['success', undefined]],
    ['003.R9: an ignored code', { ignoreExit: [5] }, 5, ['success', undefined]],
  ] as const)('knows the conventions of %s', (_what, change, exitCode, expected) => {
    const judged = judge({ spec: aSpec({ exitCodes: [], ...change }), exit: exited(exitCode) });

    expect([judged.category, judged.error?.kind]).toEqual(expected);
  });

  it.each([
    ['lists', { diagnostic: [137] }, FOUND, ['exited', 'diagnostic', undefined]],
    ['lists as a failure', { toolFailure: [137] }, parsed(), ['exited', 'tool_failure', 'TOOL_FAILURE_EXIT']],
    ['lists as a success', { success: [137] }, parsed(), ['exited', 'success', undefined]],
    ['does not list', { diagnostic: [143] }, FOUND, ['signalled', 'tool_failure', 'CRASHED']],
  ] as const)(
    'a code above 128 that the policy %s is no signal but where it is not listed (E13)',
    (_what, exitCodes, payload, expected) => {
      const exit = { kind: 'signalled', exitCode: 137, signal: 'SIGKILL', durationMs: 1 } as const;
      const judged = judge({ payload, exit, settings: { exitCodes, ignoreExit: [] } });

      expect([judged.exit.kind, judged.category, judged.error?.kind]).toEqual(expected);
    },
  );

  it.each([
    [130, 'SIGINT'],
    [143, 'SIGTERM'],
  ] as const)('%i is as good a code as any other where it is listed (E13)', (exitCode, signal) => {
    const exit = { kind: 'signalled', exitCode, signal, durationMs: 1 } as const;
    const of = (exitCodes: JudgeInput['settings']['exitCodes']): string =>
      judge({ payload: parsed(), exit, settings: { exitCodes, ignoreExit: [] } }).category;

    expect([of({ success: [exitCode] }), of({ diagnostic: [exitCode] }), of({})]).toEqual([
      ...['success', 'diagnostic', 'tool_failure'],
    ]);
  });

  it.each([
    ['a signal', { exitCode: null, signal: 'SIGKILL' }],
    ['a code that processes were left with', { exitCode: 0, signal: 'SIGKILL' }],
  ])('%s is never a listed code', (_what, end) => {
    const exit = { kind: 'signalled', durationMs: 1, ...end } as const;

    expect(judge({ payload: FOUND, exit, settings: { exitCodes: { success: [0] }, ignoreExit: [] } }).error?.kind).toBe(
      'CRASHED',
    );
  });

  it.each(['pylint', 'mypy', 'pytest'])(
    '003.R4: a missing module %s is a failure of the tool in every field',
    (module) => {
      const judged = judge({
        argv: ['python3', '-m', module],
        exit: exited(1),
        payload: { kind: 'empty' },
        stderr: `/usr/bin/python3: No module named ${module}`,
      });

      expect(judged).toMatchObject({ category: 'tool_failure', returnCode: 1, error: { kind: 'TOOL_NOT_FOUND' } });
    },
  );

  it.each([
    [['poetry', 'run', 'python', '-m', 'mypy'], 'poetry'],
    [['uv', 'run', 'python', '-m', 'mypy'], 'uv'],
    [['/home/ada/.venv/bin/python', '-m', 'mypy'], 'python'],
  ])('names the program that there is not: %j (E15)', (argv, name) => {
    const judged = judge({ argv, exit: anEnd('not_found', null), payload: { kind: 'missing' } });

    expect(judged.error?.message).toBe(`the tool was not found: there is no ${name}`);
  });

  it('says which files could not be parsed only if nothing else is in doubt', () => {
    const payload = parsed({ findings: [FINDING], partial: 'a.js could not be parsed', unparsed: ['a.js'] });
    const spec = aSpec({ dependencyRules: ['import'] });

    expect(judge({ payload, exit: exited(1) })).toMatchObject({ complete: false, unparsed: ['a.js'], error: null });
    expect(judge({ payload, exit: exited(2) })).not.toHaveProperty('unparsed');
    expect(judge({ payload, exit: exited(1), spec, dependencies: 'missing' })).not.toHaveProperty('unparsed');
  });

  it('keeps the notes of the tool for people, and has none where the tool has none', () => {
    const notes = ['2 results lie outside of the repository and were left out'];

    expect(judge({ payload: parsed({ notes }) })).toMatchObject({ complete: true, error: null, notes });
    expect(judge({ payload: parsed() })).not.toHaveProperty('notes');
  });

  it('003.R17: follows the version of the tool, and the policy', () => {
    const spec = aSpec({
      exitCodes: [
        { versions: '<7', codes: { success: [0], diagnostic: [2], toolFailure: [1] } },
        { versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2] } },
      ],
    });
    const of = (version: string | null, exitCodes = {}) =>
      judge({ spec, version, settings: { exitCodes, ignoreExit: [] }, payload: FOUND, exit: exited(2) }).category;

    expect([of('5.9.2'), of('7.0.0'), of(null)]).toEqual(['diagnostic', 'tool_failure', 'tool_failure']);
    expect(of('7.0.0', { success: [2] })).toBe('success');
  });

  it('C8 and 003.R19: keeps the code of the tool beside the adjusted one', () => {
    const adjusted = judge({
      spec: EMPTY_IS_CLEAN,
      settings: { exitCodes: { success: [7] }, ignoreExit: [] },
      exit: exited(7),
    });
    const failed = judge({
      settings: { exitCodes: { success: [7] }, ignoreExit: [] },
      payload: { kind: 'empty' },
      exit: exited(7),
    });

    expect(adjusted).toMatchObject({ category: 'success', returnCode: 0, complete: true });
    expect(failed).toMatchObject({ returnCode: 0, error: { kind: 'NO_OUTPUT', exitCode: 7 } });
  });
});

describe('judgeRun: the engine error', () => {
  it('000.R37: has engine, mode, kind, exit code, signal, argv, folder and the end of stderr', () => {
    const input = anInput({ exit: exited(2), stderr: `first\n${'é'.repeat(3000)}` });

    expect(judgeRun(input).error).toEqual({
      engine: 'lint',
      project: '.',
      mode: 'current',
      kind: 'TOOL_FAILURE_EXIT',
      message: 'exit code 2 means that it failed',
      exitCode: 2,
      signal: null,
      argv: ['/bin/lint', '--json', 'a.js'],
      cwd: 'web',
      stderr: 'é'.repeat(2048),
    });
  });
});

const anyFinding = fc
  .record({ rule: fc.constantFrom('a', 'import', null), message: fc.string(), line: fc.option(fc.nat(9)) })
  .map((change) => aParsedFinding(change));
const reason = fc.option(fc.constantFrom('why', 'else'), { nil: null });
const anyPayload: fc.Arbitrary<Payload> = fc.oneof(
  fc.constant({ kind: 'empty' as const }),
  fc.constant({ kind: 'missing' as const }),
  fc.string().map((why) => ({ kind: 'invalid' as const, why })),
  fc
    .record({ findings: fc.array(anyFinding, { maxLength: 3 }), partial: reason, toolFailure: reason })
    .map((change) => parsed(change)),
);
const anyExit: fc.Arbitrary<RawExit> = fc.oneof(
  fc.integer({ min: 0, max: 12 }).map(exited),
  fc.record({
    kind: fc.constantFrom('signalled', 'timed_out', 'output_limit', 'aborted', 'not_found', 'not_launched'),
    exitCode: fc.option(fc.nat(255), { nil: null }),
    signal: fc.constantFrom('SIGKILL', null),
    durationMs: fc.nat(9),
  }),
);
const someCodes = fc.uniqueArray(fc.nat(12), { maxLength: 3 });
const anySpec = fc
  .record({
    convention: fc.constantFrom('pylint', 'tombi'),
    isFix: fc.boolean(),
    ignoreExit: someCodes,
    dependencyRules: fc.constantFrom([], ['import']),
    output: fc.record({ from: fc.constant('stdout' as const), emptyMeansClean: fc.boolean() }),
    exitCodes: fc
      .record({ success: someCodes, diagnostic: someCodes, toolFailure: someCodes })
      .map((codes) => [{ versions: null, codes }]),
  })
  .map((change) => aSpec(change));
const anyInput: fc.Arbitrary<JudgeInput> = fc
  .record({
    spec: anySpec,
    exit: anyExit,
    payload: anyPayload,
    stderr: fc.string(),
    dependencies: fc.constantFrom('ready', 'missing'),
  })
  .map((change) => anInput(change));

describe('judgeRun: whatever comes', () => {
  it('003.R24: says the same again of what was stored', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { exit, payload, argv, version, stderr } = input;
        const stored: unknown = JSON.parse(JSON.stringify({ exit, payload, argv, version, stderr }));

        expect(judgeRun(Object.assign({ ...input }, stored))).toEqual(judgeRun(input));
      }),
    );
  });

  it('003.R24: says what the rules of today say of what was stored, not what was said then', () => {
    const stored = { exit: exited(7), payload: parsed() };

    expect(judge(stored)).toMatchObject({ category: 'unknown', complete: false });
    expect(judge({ ...stored, settings: { exitCodes: { success: [7] }, ignoreExit: [] } })).toMatchObject({
      category: 'success',
      complete: true,
    });
  });

  it('000.R34: makes no finding that the payload does not hold', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const held = input.payload.kind === 'parsed' ? input.payload.findings : [];

        for (const finding of judgeRun(input).findings) expect(held).toContain(finding);
      }),
    );
  });

  it('is complete only without an error, a reason against it and a failure', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { complete, error, incompleteWhy, category, returnCode, findings } = judgeRun(input);
        const isPartial = input.payload.kind === 'parsed' && input.payload.partial !== null;

        expect(complete).toBe(incompleteWhy === null);
        expect(complete && (error !== null || isPartial || input.exit.kind !== 'exited')).toBe(false);
        expect(complete && indicatesFailure({ category, returnCode, diagnostics: findings.length })).toBe(false);
      }),
    );
  });

  it('003.R29: has the category that the exit code alone gives', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        fc.pre(input.exit.kind === 'exited');
        const { spec, exit, payload } = input;
        const { category, returnCode } = judgeRun(input);

        expect({ category, returnCode }).toEqual(
          classifyExit({
            ...{ tool: spec.convention ?? '', exitCode: exit.exitCode, isFix: spec.isFix, ignoreExit: spec.ignoreExit },
            diagnostics: payload.kind === 'parsed' ? payload.findings.length : 0,
            exitCodes: spec.exitCodes[0]?.codes ?? { success: [], diagnostic: [], toolFailure: [] },
          }),
        );
      }),
    );
  });
});
