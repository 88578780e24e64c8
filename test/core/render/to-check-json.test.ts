import { describe, expect, it } from 'vitest';
import type { EngineComparison } from '../../../src/core/model/engine-report.ts';
import { toCheckJson, toPlanJson } from '../../../src/core/render/to-check-json.ts';
import { aBaseComparison, aCheckStory, aFinding, anEngineError, aReport, aRun } from '../../support/engine-stories.ts';

const SUMMARY = { diagnostics: 1, hasDiagnostics: true, hasFailures: true };
const PLAN = {
  engine: 'eslint',
  project: '.',
  mode: 'target' as const,
  targets: ['.'],
  configPath: null,
  args: ['--quiet'],
  enabled: true,
  profile: null,
  env: { B: '2', A: '1', C: '3' },
  cwd: '.',
  hash: 'h',
  excludes: [],
  usesToolScope: false,
};

describe('the JSON of a check', () => {
  it.each(['config/eslint.js', null])(
    'names the configuration file of each plan, or that there is none (000.R22): %s',
    (configPath) => {
      const story = aCheckStory({ plans: [{ ...PLAN, configPath, scopeHash: 's' }] });

      expect(toPlanJson(story)).toMatchObject({ plans: [{ engine: 'eslint', project: '.', configPath }] });
      expect(toCheckJson(story, SUMMARY)).toMatchObject({ plans: [{ engine: 'eslint', project: '.', configPath }] });
    },
  );

  it('has notes of a run, and of a finding the name of its test and its further places, where there are any', () => {
    const finding = aFinding({ testId: 'adds', otherPlaces: [{ path: 'b.ts', line: 1 }] });
    const story = aCheckStory({
      runs: [aRun({ notes: ['one test was run again'], findings: [finding, aFinding({ line: 9 })] })],
    });
    const json = toCheckJson(story, SUMMARY);

    expect(json).toMatchObject({
      runs: [{ notes: ['one test was run again'] }],
      findings: [{ testId: 'adds', otherPlaces: [{ path: 'b.ts', line: 1 }] }, { line: 9 }],
    });
  });

  it('has the keys of the contract, in its order', () => {
    const story = aCheckStory({
      plans: [{ ...PLAN, scopeHash: 's' }],
      dedup: [{ engine: 'eslint', project: '.', ran: 'target' }],
      runs: [aRun({ findings: [aFinding()] })],
      engineErrors: [anEngineError()],
      configErrors: [{ engine: 'ruff', code: 'EMPTY_SCOPE', message: 'its paths are empty' }],
      skipped: [{ engine: 'tsc', project: '.', why: 'no_applicable_files' }],
      projects: [{ engine: 'eslint', project: '.', isTaken: true, why: 'eslint.config.js' }],
    });

    expect(JSON.stringify(toCheckJson(story, SUMMARY), null, 1)).toBe(
      JSON.stringify(
        {
          schemaVersion: 1,
          root: '/repo',
          mode: 'both',
          plans: [
            {
              engine: 'eslint',
              project: '.',
              mode: 'target',
              targets: ['.'],
              configPath: null,
              args: ['--quiet'],
              env: { A: '1', B: '2', C: '3' },
              cwd: '.',
              profile: null,
              enabled: true,
              hash: 'h',
              excludes: [],
              usesToolScope: false,
            },
          ],
          dedup: [{ engine: 'eslint', project: '.', ran: 'target' }],
          runs: [
            {
              engine: 'eslint',
              project: '.',
              mode: 'target',
              version: '10.15.0',
              argv: ['node', 'eslint', '.'],
              cwd: '.',
              exitCode: 0,
              returnCode: 0,
              category: 'success',
              complete: true,
              incompleteWhy: null,
              durationMs: 1234,
              findings: 1,
            },
          ],
          engineErrors: [
            {
              engine: 'mypy',
              project: '.',
              mode: 'target',
              kind: 'TOOL_NOT_FOUND',
              exitCode: 1,
              argv: ['/usr/bin/python3', '-m', 'mypy', '.'],
              cwd: '.',
              stderr: '/usr/bin/python3: No module named mypy\n',
              message: 'there is no module mypy',
            },
          ],
          configErrors: [{ engine: 'ruff', code: 'EMPTY_SCOPE', message: 'its paths are empty' }],
          skipped: [{ engine: 'tsc', project: '.', why: 'no_applicable_files' }],
          uncovered: [],
          submodules: [],
          lookedFor: [],
          projects: [{ engine: 'eslint', project: '.', taken: true, why: 'eslint.config.js' }],
          findings: [
            {
              tool: 'eslint',
              project: '.',
              kind: 'lint',
              rule: 'no-var',
              severity: 'high',
              fingerprint: aFinding().fingerprint,
              message: 'Unexpected var.',
              path: 'src/a.ts',
              line: 3,
              column: 1,
            },
          ],
          summary: SUMMARY,
        },
        null,
        1,
      ),
    );
  });

  it('says how engines compare with a base, and names findings by their fingerprints', () => {
    const lists = {
      existing: [],
      fixed: [aFinding({ line: 9 })],
      uncompared: [aFinding({ line: 8 })],
      removedTests: ['t'],
      skippedTests: [],
    };
    const engines: readonly EngineComparison[] = [
      { kind: 'compared', engine: 'eslint', project: '.', added: [aFinding()], ...lists },
      { kind: 'not_comparable', engine: 'mypy', project: '.', why: 'another version', findings: [], existing: [] },
    ];
    const changedConfigs = [{ engine: 'eslint', paths: ['eslint.config.js'] }];
    const comparison = aBaseComparison(engines, { changedConfigs, isPatchWhole: false });
    const story = { report: aReport(), comparison };

    expect(toCheckJson(story, SUMMARY)).toMatchObject({
      comparison: {
        base: 'abc',
        isChangeWhole: false,
        notes: [],
        changedConfigs,
        engines: [
          {
            engine: 'eslint',
            project: '.',
            comparable: true,
            new: [aFinding().fingerprint],
            fixed: [aFinding({ line: 9 }).fingerprint],
            existing: [],
            uncompared: [aFinding({ line: 8 }).fingerprint],
            removedTests: ['t'],
            skippedTests: [],
          },
          { engine: 'mypy', project: '.', comparable: false, why: 'another version' },
        ],
      },
    });
  });

  it('of plans alone has no runs', () => {
    const errors = [{ engine: 'ruff', code: 'EMPTY_SCOPE' as const, message: 'm' }];
    const dedup = [{ engine: 'eslint', project: '.', ran: 'target' as const }];
    const report = aReport({
      plans: [{ ...PLAN, scopeHash: 's' }],
      dedup,
      configErrors: errors,
      skipped: [{ engine: 'tsc', project: '.', why: 'disabled' }],
      uncoveredPaths: ['README.md'],
      submodules: [{ path: 'sub', isHere: false }],
      lookedFor: ['eslint'],
    });

    expect(toPlanJson({ report })).toEqual({
      schemaVersion: 1,
      root: '/repo',
      mode: 'both',
      plans: [PLAN],
      dedup,
      configErrors: errors,
      skipped: [{ engine: 'tsc', project: '.', why: 'disabled' }],
      uncovered: ['README.md'],
      submodules: [{ path: 'sub', checkedOut: false }],
      lookedFor: ['eslint'],
      projects: [],
    });
  });
});
