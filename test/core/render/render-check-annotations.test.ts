import { describe, expect, it } from 'vitest';
import type { EnginePlan } from '../../../src/core/model/engine.ts';
import { renderCheckAnnotations, renderProblemAnnotations } from '../../../src/core/render/render-check-annotations.ts';
import { renderCheckSummary } from '../../../src/core/render/render-check-summary.ts';
import { aBaseComparison, aCheckStory, aFinding, anEngineError, aReport, aRun } from '../../support/engine-stories.ts';

const GAPS = aCheckStory({
  runs: [
    aRun({ engine: 'mypy', complete: false }),
    aRun({ engine: 'ruff', complete: false }),
    aRun({ engine: 'tsc', complete: false, incompleteWhy: 'a file could not be parsed', version: null }),
  ],
  engineErrors: [anEngineError()],
  configErrors: [{ engine: 'jest', code: 'CONFIG_MISSING', message: 'there is no jest.config.js' }],
  skipped: [
    { engine: 'eslint', project: '.', why: 'dependencies_missing' },
    { engine: 'shellcheck', project: '.', why: 'no_applicable_files' },
  ],
});
const PLAN: EnginePlan = {
  ...{ engine: 'eslint', project: '.', mode: 'target', targets: [], configPath: null, args: [], enabled: false },
  ...{ profile: null, env: {}, cwd: '.', excludes: [], hash: '', scopeHash: '', usesToolScope: false },
};
const known = aFinding({ path: 'old.ts' });
const added = aFinding({ path: 'new.ts' });
const lists = { fixed: [], uncompared: [], removedTests: [], skippedTests: [] };
const COMPARED = {
  report: aReport({ runs: [aRun({ findings: [known, added] })] }),
  comparison: aBaseComparison(
    [{ kind: 'compared', engine: 'eslint', project: '.', added: [added], existing: [known], ...lists }],
    {
      isPatchWhole: false,
    },
  ),
};

describe('the annotations of a check', () => {
  it('name what was not looked at first, then the findings, the worst first', () => {
    const findings = [
      aFinding({ severity: 'low', line: null }),
      aFinding({ severity: 'medium', rule: null, message: ' ' }),
      aFinding({ severity: 'blocker', path: null, message: 'a\nb' }),
    ];
    const story = {
      ...GAPS,
      report: { ...GAPS.report, runs: [...GAPS.report.runs, aRun({ findings })] },
      install: 'npm ci',
    };

    expect(renderCheckAnnotations(story, 'sub/folder')).toBe(
      [
        '::error title=jest::CONFIG_MISSING: there is no jest.config.js',
        '::error title=mypy::TOOL_NOT_FOUND (target): there is no module mypy',
        '::error title=eslint::it could not run, as dependencies are not installed: run npm ci',
        '::error title=ruff::incomplete: it failed',
        '::error title=tsc::incomplete: a file could not be parsed',
        '::error title=eslint no-var::a%0Ab',
        '::warning title=eslint,file=sub/folder/src/a.ts,line=3,col=1::The tool gives no message.',
        '::notice title=eslint no-var,file=sub/folder/src/a.ts,line=1,col=1::Unexpected var.',
        '',
      ].join('\n'),
    );
  });

  it('are at most ten of a kind, the most that GitHub shows, and the rest is counted', () => {
    const many = (['high', 'medium', 'low'] as const).flatMap((severity) =>
      Array.from({ length: 11 }, (_, line) => aFinding({ severity, rule: severity, line: line + 1 })),
    );
    const lines = renderCheckAnnotations(aCheckStory({ runs: [aRun({ findings: many })] }), '.').split('\n');

    expect(lines.filter((line) => line.startsWith('::error'))).toHaveLength(10);
    expect(lines.filter((line) => line.startsWith('::warning'))).toHaveLength(10);
    expect(lines.filter((line) => line.startsWith('::notice'))).toHaveLength(10);
    expect(lines.at(-2)).toBe('::notice title=ratchet::4 more annotations: see the log');
  });

  it('name submodules that are not here, and those that the change moves (E5)', () => {
    const report = aReport({ runs: [aRun()], submodules: [{ path: 'a,b', isHere: false }] });
    const comparison = aBaseComparison([], { unlooked: ['a,b'] });

    expect(renderCheckAnnotations({ report, comparison }, '.').split('\n')).toEqual([
      '::error title=ratchet::nothing in submodules that are not checked out was looked at: "a,b"',
      '::error title=ratchet::the change moves the submodule "a,b", which is not checked out: no engine looked at what that brings',
      '',
    ]);
    expect(renderCheckAnnotations({ report, comparison: null }, '.')).toMatch(/^::warning [^\n]*submodules[^\n]*\n$/u);
  });

  it('leave out what the base has too, and say that the change was not read whole', () => {
    expect(renderCheckAnnotations(COMPARED, '.')).toBe(
      '::error title=ratchet::the change since the base was not read whole\n::error title=eslint no-var,file=new.ts,line=3,col=1::Unexpected var.\n',
    );
  });

  it('are cut where a message is longer than anybody reads', () => {
    const message = 'x'.repeat(5000);
    const text = renderCheckAnnotations(aCheckStory({ runs: [aRun({ findings: [aFinding({ message })] })] }), '.');

    expect(text.length).toBeLessThan(4300);
    expect(text.endsWith('x…\n')).toBe(true);
  });

  it('warn of requested files that no engine checks, where that is all there is to say', () => {
    const story = aCheckStory({ runs: [aRun()], requestedPaths: ['a.md', 'b.ts'], uncoveredPaths: ['a.md'] });

    expect(renderCheckAnnotations(story, '.')).toBe('::warning title=ratchet::no engine checks these files: a.md\n');
  });

  it('name the problems where there is no report', () => {
    expect(renderProblemAnnotations(['a: b\nc'])).toBe('::error title=ratchet check::a: b%0Ac\n');
    expect(renderProblemAnnotations([])).toBe('');
  });
});

describe('the summary of a step', () => {
  it('says that nothing was found and which engines looked', () => {
    expect(renderCheckSummary(aCheckStory({ runs: [aRun()] }))).toBe(
      [
        '### Ratchet: ✓ 0 findings',
        '',
        '| engine | version | mode | findings | looked at |',
        '| - | - | - | - | - |',
        '| `eslint` | `10.15.0` | target | 0 | all |',
        '',
      ].join('\n'),
    );
    expect(renderCheckSummary(aCheckStory())).toContain('No engine ran.');
  });

  it('shows findings without anything live in them, and what was not looked at', () => {
    const hostile = aFinding({ message: '<b>@octocat</b> | x', rule: 'a`b' });
    const loose = aFinding({ path: null, rule: null });
    const lineless = aFinding({ line: null, severity: 'blocker' });
    const runs = [aRun({ findings: [hostile, loose, lineless] }), ...GAPS.report.runs];
    const text = renderCheckSummary({ ...GAPS, report: { ...GAPS.report, runs } });

    expect(text).toContain(
      [
        '### Ratchet: ✗ 3 findings',
        '',
        '- **blocker** `src/a.ts` Unexpected var. (`eslint no-var`)',
        '- **high** Unexpected var. (`eslint`)',
        '- **high** `src/a.ts:3` \\<b\\>@\u2060octocat\\</b\\> | x (`` eslint a`b ``)',
        '',
        'Not looked at, or not wholly:',
        '',
        '- `jest`: CONFIG\\_MISSING: there is no jest.config.js',
      ].join('\n'),
    );
    expect(text).toContain('| `tsc` |  | target | 0 | **a part** |');
  });

  it('says where no engine checks any of the requested files', () => {
    const story = aCheckStory({ requestedPaths: ['a.md'], uncoveredPaths: ['a.md'] });

    expect(renderCheckSummary({ ...story, report: { ...story.report, plans: [PLAN], runs: [aRun()] } })).toContain(
      'no engine checks these files · 0 findings elsewhere',
    );
  });

  it('counts what the base has too', () => {
    const text = renderCheckSummary(COMPARED);

    expect(text).toContain(
      '### Ratchet: ✗ 1 finding new or not comparable, 1 on the base too\n\n- **high** `new.ts:3`',
    );
    expect(text).toContain('- the change since the base was not read whole');
    expect(text).not.toContain('old.ts');
  });
});
