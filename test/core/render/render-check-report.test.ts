import { describe, expect, it } from 'vitest';
import type { EnginePlan } from '../../../src/core/model/engine.ts';
import type { EngineComparison } from '../../../src/core/model/engine-report.ts';
import { toAllFindings } from '../../../src/core/render/check-story.ts';
import { type Paint, renderCheckReport, renderPlans } from '../../../src/core/render/render-check-report.ts';
import { aBaseComparison, aCheckStory, aFinding, anEngineError, aReport, aRun } from '../../support/engine-stories.ts';
import { aPlan } from '../../support/quality-stories.ts';

const plain: Paint = (_, text) => text;

describe('all findings of a report', () => {
  it('are each there once, also where both modes have it', () => {
    const both = aFinding();
    const lone = aFinding({ line: 1 });
    const runs = [aRun({ mode: 'current', findings: [both, lone] }), aRun({ findings: [both] })];

    expect(toAllFindings(aCheckStory({ runs }))).toEqual([lone, both]);
  });

  it('stand in the order of places, then of tools, rules and messages', () => {
    const sorted = [
      aFinding({ path: null, line: null, column: null }),
      aFinding({ path: 'a.ts', line: null, column: null }),
      aFinding({ path: 'a.ts', line: 2, column: null }),
      aFinding({ path: 'a.ts', line: 2, column: 1 }),
      aFinding({ path: 'a.ts', line: 2, column: 9, rule: null }),
      aFinding({ path: 'a.ts', line: 2, column: 9, rule: 'a' }),
      aFinding({ path: 'a.ts', line: 2, column: 9, rule: 'b', message: 'a' }),
      aFinding({ path: 'a.ts', line: 2, column: 9, rule: 'b', message: 'b' }),
      aFinding({ path: 'a.ts', line: 2, column: 9, tool: 'tsc' }),
      aFinding({ path: 'a.ts', line: 11, column: 1 }),
      aFinding({ path: 'b.ts', line: 1, column: 1 }),
    ];
    const runs = [aRun({ findings: sorted.toReversed() })];

    expect(toAllFindings(aCheckStory({ runs }))).toEqual(sorted);
  });

  it('differ by their fingerprint where nothing else does', () => {
    const twins = [aFinding({ fingerprint: 'b' }), aFinding({ fingerprint: 'a' })];
    const found = toAllFindings(aCheckStory({ runs: [aRun({ findings: twins })] }));

    expect(found.map(({ fingerprint }) => fingerprint)).toEqual(['a', 'b']);
  });
});

describe('the report at a terminal', () => {
  it('says in one line that nothing was found', () => {
    const dedup = [{ engine: 'eslint', project: '.', ran: 'target' as const }];

    expect(renderCheckReport(aCheckStory({ runs: [aRun()], dedup }), plain)).toBe(
      'eslint 10.15.0         target = current     1.2 s  0 findings\n\n✓ 0 findings · 1 engine ran\n',
    );
  });

  it('groups findings by file and ends with the totals', () => {
    const findings = [
      aFinding(),
      aFinding({ line: 9, column: null, severity: 'low', rule: null, message: 'Prefer const.' }),
      aFinding({ path: 'src/b.ts', severity: 'medium' }),
    ];
    const runs = [aRun({ findings, version: null })];

    expect(renderCheckReport(aCheckStory({ runs, request: 'target' }), plain)).toBe(
      [
        'src/a.ts',
        '  3:1      high    Unexpected var.  eslint no-var',
        '  9        low     Prefer const.  eslint',
        '',
        'src/b.ts',
        '  3:1      medium  Unexpected var.  eslint no-var',
        '',
        'eslint                 target               1.2 s  3 findings',
        '',
        '✗ 3 findings in 2 files · 1 engine ran',
        '',
      ].join('\n'),
    );
  });

  it('has a place for what has neither file nor line, and tells of a run that does not say why it is not complete', () => {
    const loose = aFinding({ path: null, line: null, column: null });
    const text = renderCheckReport(aCheckStory({ runs: [aRun({ findings: [loose], complete: false })] }), plain);

    expect(text.split('\n').slice(0, 2)).toEqual(['(no file)', '  -        high    Unexpected var.  eslint no-var']);
    expect(text).toContain('1 finding  incomplete: it failed\n');
  });

  it('shows engines that failed in a section of their own, which counts in no total (000.R35, 000.R36)', () => {
    const runs = [aRun({ engine: 'mypy', project: '.', complete: false, incompleteWhy: null, cached: true })];
    const text = renderCheckReport(aCheckStory({ runs, engineErrors: [anEngineError()] }), plain);

    expect(text).toContain(
      [
        'Engines that failed',
        '  mypy (target): TOOL_NOT_FOUND, exit code 1: there is no module mypy',
        '      in .: /usr/bin/python3 -m mypy .',
        '      /usr/bin/python3: No module named mypy',
      ].join('\n'),
    );
    expect(text).toContain('cached  0 findings  incomplete: it failed');
    expect(text.trimEnd().split('\n').at(-1)).toBe('✗ 0 findings · 1 engine ran · 1 engine failed');
  });

  it('shows of stderr the last five lines, and no exit code where there is none', () => {
    const stderr = Array.from({ length: 9 }, (_, index) => `line ${String(index)}\n\n`).join('');
    const text = renderCheckReport(aCheckStory({ engineErrors: [anEngineError({ exitCode: null, stderr })] }), plain);

    expect(text).toContain('TOOL_NOT_FOUND: there');
    expect(text.match(/line \d/gu)).toEqual(['line 4', 'line 5', 'line 6', 'line 7', 'line 8']);
  });

  it('says what was not run and why', () => {
    const text = renderCheckReport(
      aCheckStory({
        configErrors: [{ engine: 'ruff', code: 'EMPTY_SCOPE', message: 'its paths are empty' }],
        skipped: [{ engine: 'shellcheck', project: '.', why: 'no_applicable_files' }],
      }),
      plain,
    );

    expect(text).toContain('Not run\n  ruff: EMPTY_SCOPE: its paths are empty\n  shellcheck: no applicable files');
  });

  it('names the command that installs missing dependencies', () => {
    const story = aCheckStory({ skipped: [{ engine: 'eslint', project: '.', why: 'dependencies_missing' }] });
    const text = renderCheckReport({ ...story, install: 'npm ci' }, plain);

    expect(text).toContain('1 engine could not run, as dependencies are not installed: run npm ci\n');
  });

  it.each([
    [1, '✗ 0 findings · 0 engines ran · 1 engine could not run, as dependencies are not installed'],
    [2, '✗ 0 findings · 0 engines ran · 2 engines could not run, as dependencies are not installed'],
  ])('takes it for no good news where dependencies are missing (%i)', (count, expected) => {
    const skipped = ['eslint', 'tsc']
      .slice(0, count)
      .map((engine) => ({ engine, project: '.', why: 'dependencies_missing' as const }));
    const text = renderCheckReport(aCheckStory({ skipped }), plain);

    expect(text.trimEnd().split('\n').at(-1)).toBe(expected);
  });

  it('takes it for no good news where an engine did not see everything', () => {
    const text = renderCheckReport(aCheckStory({ runs: [aRun({ complete: false })] }), plain);

    expect(text.trimEnd().split('\n').at(-1)).toBe('✗ 0 findings · 1 engine ran');
  });

  it('takes it for good news where the base has all that was found', () => {
    const known = aFinding();
    const lists = { added: [], fixed: [], existing: [known], uncompared: [], removedTests: [], skippedTests: [] };
    const comparison = aBaseComparison([{ kind: 'compared', engine: 'eslint', project: '.', ...lists }]);
    const report = aReport({ runs: [aRun({ findings: [known] })] });

    const text = renderCheckReport({ report, comparison }, plain);

    expect(text).toContain('✓ 1 finding in 1 file · 0 new · 0 fixed');
    expect(text).not.toMatch(/Not comparable|Configuration/u);
  });

  it('says of how many findings nobody can say whether they are new, and of a change that was not read whole', () => {
    const none = { added: [], existing: [], fixed: [], removedTests: [], skippedTests: [] };
    const engines: readonly EngineComparison[] = [
      { kind: 'compared', engine: 'eslint', project: '.', uncompared: [], ...none },
      { kind: 'compared', engine: 'jest', project: '.', uncompared: [aFinding(), aFinding()], ...none },
      { kind: 'compared', engine: 'pytest', project: '.', uncompared: [aFinding()], ...none },
    ];
    const comparison = aBaseComparison(engines, { isPatchWhole: false });

    const report = aReport({ requestedPaths: ['docs'], plans: [aPlan('eslint')], uncoveredPaths: ['docs'] });

    expect(renderCheckReport({ report, comparison }, plain)).toBe(
      [
        'Not looked at',
        '  no engine checks these files: docs',
        '',
        'Not comparable with the base',
        '  jest: nobody can say whether 2 findings are new',
        '  pytest: nobody can say whether 1 finding is new',
        '  the change was not read whole: places where a check was switched off may be missing',
        '',
        '✗ no engine checks these files · 0 findings elsewhere · 0 new · 0 fixed · 0 engines ran',
        '',
      ].join('\n'),
    );
  });

  it('says what was not compared as it is in the base', () => {
    const comparison = aBaseComparison([], { notes: ['vendor/lib is a submodule'] });

    expect(renderCheckReport({ report: aReport(), comparison }, plain)).toContain(
      'Not compared as it is in the base\n  vendor/lib is a submodule\n',
    );
  });

  it('names submodules that are not here, and those of them that the change moves (E5)', () => {
    const names = ['a', 'b', 'c', 'f\n'];
    const report = aReport({
      submodules: [...names.map((path) => ({ path, isHere: false })), { path: 'g', isHere: true }],
    });
    const comparison = aBaseComparison([], { unlooked: ['f\n'] });

    const text = renderCheckReport({ report, comparison }, plain);

    expect(text).toContain('  nothing in submodules that are not checked out was looked at: "a", "b", "c" and 1 more');
    expect(text).toContain(
      String.raw`  the change moves the submodule "f\n", which is not checked out: no engine looked at what that brings`,
    );
    expect(text).not.toContain('✓');
  });

  it('says which configuration the base was looked at with as it is now', () => {
    const changedConfigs = [{ engine: 'pytest', paths: ['conftest.py', 'a\u001B[2J/conftest.py'] }];
    const comparison = aBaseComparison([], { changedConfigs });

    expect(renderCheckReport({ report: aReport(), comparison }, plain)).toContain(
      'Configuration that changed (the base was looked at with the changed one, too)\n  pytest: conftest.py, a[2J/conftest.py\n',
    );
  });

  it('puts what is new against the base first, folds what the base has too, and says what is fixed and what cannot be compared', () => {
    const known = aFinding({ line: 1 });
    const added = aFinding({ line: 7 });
    const file = aFinding({ path: 'src/z.ts', line: 2 });
    const off = aFinding({ tool: 'ratchet', kind: 'suppression', rule: 'new-suppression/noqa', path: 'src/y.py' });
    const report = aReport({ runs: [aRun({ findings: [known, added, file, aFinding({ path: 'src/0.ts' })] })] });
    const lists = {
      existing: [known],
      fixed: [aFinding({ line: 99 })],
      uncompared: [],
      removedTests: [],
      skippedTests: [],
    };
    const engines: readonly EngineComparison[] = [
      { kind: 'compared', engine: 'eslint', project: '.', added: [added, file], ...lists },
      { kind: 'not_comparable', engine: 'mypy', project: '.', why: 'another version', findings: [], existing: [] },
    ];
    const text = renderCheckReport({ report, comparison: aBaseComparison(engines, { suppressions: [off] }) }, plain);

    const heads = text.split('\n').filter((line) => line.startsWith('src/'));
    expect(heads).toEqual(['src/a.ts', 'src/y.py', 'src/z.ts', 'src/0.ts']);
    expect(text).toContain('  7:1      high    new Unexpected var.');
    expect(text).toContain('src/0.ts\n  3:1      high    new? Unexpected var.');
    expect(text).toContain('\n\nOn the base too\n  src/a.ts: 1 finding\n\n');
    expect(text).toContain('Not comparable with the base\n  mypy: another version');
    expect(text).toContain('✗ 5 findings in 4 files · 3 new · 1 fixed · 1 engine ran');
  });

  it('counts what the base has too by file, and names the files that have the most of it', () => {
    const existing = Array.from({ length: 7 }, (_, file) =>
      Array.from({ length: file + 1 }, (__, line) => aFinding({ path: `f${String(file)}.ts`, line })),
    ).flat();
    existing.push(...[1, 2, 3].map((line) => aFinding({ path: null, line, tool: 'jest' })));
    const lists = { added: [], fixed: [], uncompared: [], removedTests: [], skippedTests: [] };
    const comparison = aBaseComparison([{ kind: 'compared', engine: 'eslint', project: '.', existing, ...lists }]);
    const text = renderCheckReport({ report: aReport({ runs: [aRun({ findings: existing })] }), comparison }, plain);

    expect(text).toContain(
      'On the base too\n  f6.ts: 7 findings\n  f5.ts: 6 findings\n  f4.ts: 5 findings\n  f3.ts: 4 findings\n  (no file): 3 findings\n  and 3 more files; --json lists them all\n',
    );
    expect(text).not.toContain('Unexpected var.');
  });

  it('shows nothing of a hostile message that moves the cursor or hides text', () => {
    const hostile = aFinding({
      path: 'a\u001B[2J.ts',
      message: `\u001B[31mred\u001B[0m\rover\nnext\u202E ${'x'.repeat(600)}`,
    });
    const text = renderCheckReport(aCheckStory({ runs: [aRun({ findings: [hostile] })] }), plain);

    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u202E]/u);
    expect(text).toContain('[31mred[0m over next');
    expect(text).toContain('x…  eslint');
  });

  it('tells the painter what every piece is', () => {
    const tones = new Set<string>();
    const findings = [
      aFinding({ line: 1, severity: 'blocker' }),
      aFinding({ line: 2, severity: 'medium' }),
      aFinding({ severity: 'low' }),
    ];
    const paint: Paint = (tone, text) => {
      tones.add(tone);
      return text;
    };
    renderCheckReport(aCheckStory({ runs: [aRun({ findings })] }), paint);
    renderCheckReport(aCheckStory({ runs: [aRun()] }), paint);

    expect([...tones].toSorted()).toEqual(['bad', 'dim', 'good', 'strong', 'warn']);
  });
});

describe('the plans at a terminal', () => {
  const plan: EnginePlan = {
    engine: 'eslint',
    project: '.',
    mode: 'target',
    targets: ['.'],
    configPath: null,
    args: [],
    enabled: true,
    profile: null,
    env: {},
    cwd: '.',
    hash: '0123456789abcdef',
    scopeHash: '',
    excludes: [],
    usesToolScope: false,
  };

  it('are shown with targets, configuration and arguments, and with what is run of them (000.R15)', () => {
    const other = { ...plan, mode: 'current' as const, targets: ['src'], configPath: 'e.js', args: ['--quiet'] };
    const dedup = [
      { engine: 'eslint', project: '.', ran: 'both' as const },
      { engine: 'mypy', project: '.', ran: 'target' as const },
      { engine: 'ruff', project: '.', ran: 'current' as const },
      { engine: 'tsc', project: '.', ran: 'none' as const },
    ];

    expect(renderPlans({ report: aReport({ plans: [other, plan], dedup }), fixes: null }, plain)).toBe(
      [
        'eslint current 0123456789ab',
        '  targets src',
        '  config  e.js',
        '  args    --quiet',
        '',
        'eslint target 0123456789ab',
        '  targets .',
        "  config  the tool's own discovery",
        '',
        'eslint: the plans differ: runs current, then target',
        'mypy: runs target',
        'ruff: runs current',
        'tsc: does not run',
        '',
      ].join('\n'),
    );
  });
});
