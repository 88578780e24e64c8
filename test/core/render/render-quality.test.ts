import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QualityStory } from '../../../src/core/quality/quality-story.ts';
import { renderQuality, renderQualityStart, renderQualityStop } from '../../../src/core/render/render-quality.ts';
import { toByteLength } from '../../../src/core/text/cut-bytes.ts';
import { fakeSha } from '../../support/builders.ts';
import { aFinding, anEngineError, aReport, aRun } from '../../support/engine-stories.ts';
import { hostileText, LIVE, nodesOf, proseOf } from '../../support/hostile-text.ts';
import { aPlan, aQualityStory } from '../../support/quality-stories.ts';

const INVALID = { engine: 'ruff', code: 'EMPTY_SCOPE', message: '"paths" is an empty list' } as const;
const COMPARED = {
  kind: 'compared',
  engine: 'eslint',
  project: '.',
  added: [],
  fixed: [],
  existing: [],
  uncompared: [],
  removedTests: [],
  skippedTests: [],
} as const;
const report = aReport({
  plans: [aPlan('eslint'), aPlan('mypy'), aPlan('ruff')],
  dedup: [
    { engine: 'eslint', project: '.', ran: 'target' },
    { engine: 'mypy', project: '.', ran: 'both' },
    { engine: 'ruff', project: '.', ran: 'none' },
  ],
  runs: [aRun()],
});

describe('the title of "Ratchet / quality"', () => {
  it.each([
    ['No new findings', {}],
    ['1 new finding', { added: [aFinding()] }],
    ['No new findings · change not read completely', { isPatchWhole: false }],
    ['No new findings · 1 submodule not looked at', { unlooked: ['vendor/lib'] }],
    [
      '2 new findings · 1 engine could not run',
      { added: [aFinding(), aFinding({ line: 4 })], report: { ...report, engineErrors: [anEngineError()] } },
    ],
    [
      'No new findings · 2 engines could not run',
      { report: { ...report, engineErrors: [anEngineError()], configErrors: [INVALID] } },
    ],
    [
      'No new findings · 1 engine not compared completely',
      { report: { ...report, runs: [aRun({ complete: false })] } },
    ],
    [
      'No new findings · 1 file over budget',
      {
        overBudget: [
          { engine: 'eslint', project: '.', path: 'a', severity: 'high', count: 2, budget: 1 },
          { engine: 'eslint', project: '.', path: 'a', severity: 'low', count: 2, budget: 1 },
        ],
      },
    ],
    ['No new findings · 1 accepted', { accepted: [{ finding: aFinding(), author: 'ada', reason: 'later' }] }],
    ['No engine found', { report: aReport() }],
  ] as const)('says first: %s', (title, change) => {
    expect(renderQuality(aQualityStory(change)).title).toBe(title);
  });
});

describe('the check run "Ratchet / quality"', () => {
  it('can be run again by its one button, and is never neutral', () => {
    const text = renderQuality(aQualityStory());

    expect(text).toMatchObject({ status: 'completed', conclusion: 'success' });
    expect(text.actions.map(({ identifier, label }) => [identifier, label])).toEqual([['check', 'Re-run checks']]);
  });

  it('names head, merge base, level and scope', () => {
    const { summary } = renderQuality(aQualityStory());

    expect(summary).toContain(`- Commit \`${fakeSha('head')}\`, compared with the merge base \`${fakeSha('base')}\`\n`);
    expect(summary).toContain('New findings of severity `medium` or higher fail this check.');
    expect(summary).toContain('and on the changed files alone where that differs');
    const asked = aQualityStory({ scope: 'asked', baseSha: null, added: [aFinding(), aFinding({ severity: 'low' })] });
    expect(renderQuality(asked).summary).toContain('and on the requested paths alone');
    expect(renderQuality(asked).summary).toContain('compared with nothing, because there is no common commit');
    expect(renderQuality(asked).summary).toMatch(
      /^\*\*Findings compared with the base branch: 2 new \(1 high, 1 low\), 0/u,
    );
    expect(renderQuality(aQualityStory({ scope: 'unknown' })).summary).toContain('GitHub does not list all changes');
  });

  it.each<[string, Partial<QualityStory>, string | null]>([
    ['nothing', {}, null],
    ['the author, of findings', { added: [aFinding()] }, 'author'],
    ['the maintainer, of engines', { report: { ...report, configErrors: [INVALID], runs: [] } }, 'maintainer'],
    ['the author, of a change that is too large', { isPatchWhole: false }, 'author'],
    ['the author, of submodules that nobody looked at', { unlooked: ['vendor/lib'] }, 'author'],
    ['the maintainer, of a policy without engines', { report: aReport() }, 'maintainer'],
  ])('asks %s, in at most five lines before everything else (L16)', (_what, change, who) => {
    const { summary } = renderQuality(aQualityStory(change));
    const [head = ''] = summary.split(/\n\n(?:###|<details>)/u);

    expect(/\*\*Next step \((?<who>\w+)\):/u.exec(head)?.groups?.['who'] ?? null).toBe(who);
    expect(head.split('\n\n').length).toBeLessThanOrEqual(5);
  });

  it('has no word of its inner workings, and folds the engines (L16)', () => {
    const runs = [aRun(), aRun({ mode: 'current', complete: false })];
    const engineErrors = [anEngineError({ mode: 'current' }), anEngineError()];
    const { summary } = renderQuality(
      aQualityStory({ report: { ...report, runs, engineErrors }, added: [aFinding()] }),
    );

    expect(summary).not.toMatch(/CURRENT|TARGET|category|diagnostic/u);
    expect(summary.indexOf('### New findings')).toBeLessThan(summary.indexOf('### Engines that could not run'));
    expect(summary).toMatch(
      /<details><summary>Engines and what was compared<\/summary>[^]*\| `eslint` [^]*<\/details>\n$/u,
    );
  });

  it('says where the change could not be read completely', () => {
    const told = 'The change could not be read completely, so new suppressions may be missing';

    expect(renderQuality(aQualityStory({ isPatchWhole: false })).summary).toContain(told);
    expect(renderQuality(aQualityStory()).summary).not.toContain('read completely');
  });

  it('names the submodules: those that the change moves, and all of which nothing was looked at (E5)', () => {
    const submodules = ['a_b', 'vendor/lib'].map((path) => ({ path, isHere: false }));
    const { summary } = renderQuality(aQualityStory({ report: { ...report, submodules }, unlooked: ['a_b'] }));

    expect(summary).toContain(
      [
        '### Not checked',
        '',
        '- the change moves the submodule "a\\_b", which is not checked out: no engine looked at what that brings',
        '- nothing in submodules that are not checked out was looked at: "a\\_b", "vendor/lib"',
      ].join('\n'),
    );
  });

  it('has a row for each engine: what ran, how it ended, and what came of it', () => {
    const runs = [
      aRun({
        exit: { kind: 'exited', exitCode: 1, signal: null, durationMs: 1234 },
        category: 'diagnostic',
        cached: true,
      }),
      aRun({ engine: 'mypy', project: '.', mode: 'current', version: null }),
      aRun({
        engine: 'mypy',
        project: '.',
        exit: { kind: 'timed_out', exitCode: null, signal: null, durationMs: 60_000 },
        category: 'tool_failure',
        complete: false,
      }),
    ];
    const plans = [aPlan('eslint', { configPath: 'eslint|config.js' }), aPlan('mypy'), aPlan('ruff')];
    const story = aQualityStory({
      report: { ...report, plans, runs, skipped: [{ engine: 'ruff', project: '.', why: 'no_applicable_files' }] },
      comparisons: [
        { ...COMPARED, added: [aFinding()], fixed: [aFinding({ line: 8 }), aFinding({ line: 9 })] },
        { kind: 'not_comparable', engine: 'mypy', project: '.', why: 'it timed out', findings: [], existing: [] },
      ],
    });

    expect(renderQuality(aQualityStory({ report: { ...report, plans, runs: [] } })).title).toBe(
      'No engine has a file to check',
    );
    const rows = renderQuality(story)
      .summary.split('\n')
      .filter((line) => line.startsWith('| `'));

    expect(rows).toEqual([
      '| `eslint` (required) | found problems | 1 | 2 | 0 | `10.15.0` | `eslint¦config.js` | 1.2 s (cached) |',
      '| `mypy` (required) | could not run (incomplete) | ? | – | 0 in all | `10.15.0` | none | 60.0 s |',
      '| `ruff` | no files | – | – | – | – | none | – |',
    ]);
  });

  it.each([
    ['could not run', { engineErrors: [anEngineError({ engine: 'ruff', project: '.' })] }],
    ['switched off', { configErrors: [INVALID], engineErrors: [anEngineError({ engine: 'ruff', project: '.' })] }],
    ['could not run', { skipped: [{ engine: 'ruff', project: '.', why: 'dependencies_missing' as const }] }],
    ['did not run', {}],
  ])('says of an engine without a run: %s', (word, change) => {
    const story = aQualityStory({ report: { ...report, ...change } });

    expect(renderQuality(story).summary).toContain(`| \`ruff\` | ${word} | – |`);
  });

  it('tells of an engine that ran in CURRENT alone by that run', () => {
    const runs = [aRun({ mode: 'current', version: '9.9.9' })];

    expect(renderQuality(aQualityStory({ report: { ...report, runs } })).summary).toContain('`9.9.9`');
  });

  it('tells engine failures in a section of their own, and never as findings (000.R35, R36)', () => {
    const error = anEngineError({ stderr: 'line 1\n```\n@octocat', signal: 'SIGKILL', exitCode: null });
    const { title, summary } = renderQuality(aQualityStory({ report: { ...report, engineErrors: [error] } }));
    const section = summary.slice(summary.indexOf('### Engines that could not run'), summary.indexOf('<details>'));

    expect(title).toBe('No new findings · 1 engine could not run');
    expect(section).toContain('**`mypy`:** there is no module mypy (`TOOL_NOT_FOUND`)');
    expect(section).toContain('- Command: `/usr/bin/python3 -m mypy .`');
    expect(section).toContain('- Folder: `.`');
    expect(section).toContain('- Exit code: none, signal SIGKILL');
    expect(section).toContain('````text\nline 1\n```\n@octocat\n````');
    expect(summary).not.toContain('### New findings');
  });

  it('shows a tool failure as prominently where the tool found something all the same (003.R4)', () => {
    const failed = aRun({ category: 'tool_failure', complete: false, incompleteWhy: 'exit code 2' });
    const story = aQualityStory({
      added: [aFinding()],
      report: {
        ...report,
        runs: [failed],
        engineErrors: [anEngineError({ engine: 'eslint', project: '.', kind: 'TOOL_FAILURE_EXIT' })],
      },
    });
    const { title, summary, conclusion } = renderQuality(story);

    expect([title, conclusion]).toEqual(['1 new finding · 1 engine could not run', 'failure']);
    expect(summary.indexOf('TOOL_FAILURE_EXIT')).toBeLessThan(summary.indexOf('<details>'));
  });

  it('leaves the fence out where a tool wrote nothing, and says how many failures are not shown', () => {
    const errors = Array.from({ length: 22 }, () => anEngineError({ stderr: ' \n', signal: null, exitCode: 1 }));
    const { summary } = renderQuality(aQualityStory({ report: { ...report, engineErrors: errors } }));

    expect(summary).not.toContain('```');
    expect(summary).toContain('- Exit code: 1\n');
    expect(summary).toContain('and 2 more');
    const signalled = anEngineError({ signal: 'SIGSEGV', exitCode: 139, stderr: '' });
    const all = renderQuality(aQualityStory({ report: { ...report, engineErrors: [signalled] } })).summary;
    expect(all).toContain('- Exit code: 139, signal SIGSEGV');
    const none = anEngineError({ exitCode: null, stderr: '' });
    expect(renderQuality(aQualityStory({ report: { ...report, engineErrors: [none] } })).summary).toContain(
      '- Exit code: none\n',
    );
  });

  it('names configuration errors, what was skipped, and what is not the whole answer (000.R42)', () => {
    const story = aQualityStory({
      report: {
        ...report,
        configErrors: [INVALID],
        skipped: [
          { engine: 'mypy', project: '.', why: 'dependencies_missing' },
          { engine: 'tsc', project: '.', why: 'disabled' },
        ],
        runs: [
          aRun({ complete: false, incompleteWhy: 'a syntax error' }),
          aRun({ engine: 'tsc', project: '.', complete: false }),
        ],
      },
      comparisons: [
        { kind: 'not_comparable', engine: 'eslint', project: '.', why: 'another version', findings: [], existing: [] },
        { ...COMPARED, engine: 'cov', project: '.', uncompared: [aFinding(), aFinding()] },
      ],
    });
    const { summary } = renderQuality(story);

    expect(summary).toContain(
      '### Configuration errors\n\n- `ruff` is switched off (EMPTY_SCOPE): "paths" is an empty list',
    );
    expect(summary).toContain('- `mypy`: its dependencies could not be installed');
    expect(summary).toContain('- `tsc`: it is switched off by the policy');
    expect(summary).toContain('- `eslint` is incomplete, so that nothing counts as fixed: a syntax error');
    expect(summary).toContain('- `tsc` is incomplete, so that nothing counts as fixed: it did not check everything');
    expect(summary).toContain('- `eslint` cannot be compared with the base: another version');
    expect(summary).toContain('- `cov`: 2 findings may be new or not');
  });

  it('tells new findings first and the worst of them first, marks those in changed lines, and counts the others', () => {
    const added = [
      aFinding({ severity: 'low', path: null, line: null }),
      aFinding({ severity: 'blocker', rule: null, line: 4 }),
      aFinding({ severity: 'medium', line: null }),
    ];
    const story = aQualityStory({
      added,
      comparisons: [{ ...COMPARED, added, existing: [aFinding({ line: 9 })] }],
      changedLines: new Map([['src/a.ts', new Set([4])]]),
    });
    const { summary } = renderQuality(story);
    const lines = summary.slice(summary.indexOf('### New findings'), summary.indexOf('<details>')).trim().split('\n');

    expect(lines.slice(2)).toEqual([
      '- **blocker** `src/a.ts:4` Unexpected var. (`eslint`), in a changed line',
      '- **medium** `src/a.ts` Unexpected var. (`eslint no-var`)',
      '- **low** Unexpected var. (`eslint no-var`)',
    ]);
    expect(summary).toContain('3 new (1 blocker, 1 medium, 1 low), 0 fixed, 1 existing.');
  });

  it('says how many findings and over budgets it does not show', () => {
    const added = Array.from({ length: 103 }, (_, line) => aFinding({ line: line + 1 }));
    const over = { engine: 'eslint', project: '.', severity: 'high', count: 3, budget: 1 } as const;
    const overBudget = Array.from({ length: 52 }, (_, nth) => ({
      ...over,
      path: nth === 0 ? null : `f${String(nth)}`,
    }));
    const { summary } = renderQuality(aQualityStory({ added, overBudget }));

    expect(summary).toContain('- and 53 more');
    expect(summary).toContain(
      '### Over budget\n\n- findings without a file: 3 of severity high (`eslint`), 1 allowed\n- `f1`',
    );
    expect(summary).toContain('- and 2 more');
  });

  it('has the section of tests and coverage between findings and what was accepted', () => {
    const base = { kind: 'not_comparable', why: 'there is no run of the base' } as const;
    const { summary } = renderQuality(
      aQualityStory({
        coverage: [{ engine: 'eslint', project: '.', head: { covered: 1, total: 3 }, base, uncovered: [] }],
        accepted: [{ finding: aFinding(), author: 'ada', reason: 'so' }],
        added: [aFinding()],
      }),
    );
    const headings = summary.split('\n').filter((line) => line.startsWith('### '));

    expect(headings.slice(-3)).toEqual(['### New findings', '### Tests and coverage', '### Accepted']);
  });

  it('names who accepted what, and why, and the changed configuration', () => {
    const accepted = [
      { finding: aFinding(), author: 'ada', reason: 'next *week*' },
      { finding: aFinding({ line: 5 }), author: 'ada', reason: 'next *week*' },
      { finding: aFinding({ line: 6 }), author: 'grace', reason: 'never' },
    ];
    const changedConfigs = [{ engine: 'eslint', paths: ['eslint.config.js', 'package.json'] }];
    const setupProblem = 'The setup command `npm ci` did not end well';
    const { summary } = renderQuality(aQualityStory({ accepted, changedConfigs, setupProblem }));

    expect(summary).toContain('- Dependencies: The setup command `npm ci` did not end well\n');
    expect(summary).toContain('### Accepted\n\n- 2 by `ada`: next \\*week\\*\n- 1 by `grace`: never\n');
    expect(summary).toContain(
      '- This pull request changes the configuration of `eslint`: `eslint.config.js`, `package.json`.',
    );
  });

  it('stays within what GitHub takes, with every list at its longest', () => {
    const text = 'x'.repeat(3_000);
    const engines = Array.from({ length: 70 }, (_, nth) => `engine-${String(nth)}`);
    const story = aQualityStory({
      report: {
        ...report,
        plans: engines.map((engine) => aPlan(engine)),
        engineErrors: engines.map((engine) => anEngineError({ engine, message: text, stderr: text, argv: [text] })),
      },
      added: Array.from({ length: 200 }, (_, line) => aFinding({ line, message: text, path: text, rule: text })),
    });
    const { summary } = renderQuality(story);

    expect(toByteLength(summary)).toBeLessThanOrEqual(65_535);
    expect(summary).toMatch(/… \(cut\)\n?$/u);
  });

  it('shows hostile paths, rules, messages and reasons as nothing but text (T55)', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const finding = aFinding({ message: text, path: text, rule: text, tool: text });
        const story = aQualityStory({
          added: [finding],
          accepted: [{ finding, author: text, reason: text }],
          overBudget: [{ engine: text, project: '.', path: text, severity: 'low', count: 1, budget: 0 }],
          changedConfigs: [{ engine: text, paths: [text] }],
          comparisons: [{ kind: 'not_comparable', engine: text, project: '.', why: text, findings: [], existing: [] }],
          report: {
            ...report,
            plans: [aPlan(text, { configPath: text })],
            runs: [aRun({ engine: text, project: '.', version: text, complete: false, incompleteWhy: text })],
            engineErrors: [
              anEngineError({ engine: text, project: '.', message: text, argv: [text], cwd: text, stderr: text }),
            ],
            configErrors: [{ engine: text, code: 'INVALID_SETTING', message: text }],
          },
        });
        const { summary } = renderQuality(story);

        expect(proseOf(summary)).not.toMatch(LIVE);
        expect(nodesOf(summary).filter(({ type }) => ['link', 'image', 'definition'].includes(type))).toEqual([]);
        const html = nodesOf(summary).flatMap(({ type, value }) => (type === 'html' ? [value] : []));
        expect(html.toSorted()).toEqual(['</details>', '<details><summary>Engines and what was compared</summary>']);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a run without a result', () => {
  it.each([
    [{ kind: 'superseded', headSha: null }, 'neutral', 'The branch has a newer commit.'],
    [{ kind: 'superseded', headSha: fakeSha('new') }, 'neutral', `See the check run of \`${fakeSha('new')}\`.`],
    [{ kind: 'interrupted' }, 'action_required', 'Ratchet runs them again.'],
    [{ kind: 'timed_out', limitMs: 3_600_000 }, 'timed_out', 'more than 60 minutes'],
    [{ kind: 'fork' }, 'action_required', 'Ratchet runs no code of forks'],
    [{ kind: 'not_possible', why: 'because *so*' }, 'action_required', 'because \\*so\\*'],
  ] as const)('%j ends as %s, and says why', (stop, conclusion, words) => {
    const text = renderQualityStop(stop);

    expect(text).toMatchObject({ status: 'completed', conclusion });
    expect(text.summary).toContain(words);
  });

  it('is in progress before', () => {
    expect(renderQualityStart(fakeSha('head'))).toEqual({
      status: 'in_progress',
      conclusion: null,
      title: 'Engines are running',
      summary: `The engines of the policy are running on \`${fakeSha('head')}\`.\n`,
      actions: [],
    });
  });
});
