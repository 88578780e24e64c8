import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EngineComparison } from '../../../src/core/model/engine-report.ts';
import type { CheckStory } from '../../../src/core/render/check-story.ts';
import { toCheckSarif, toFailedSarif } from '../../../src/core/render/to-check-sarif.ts';
import { createSarifParser } from '../../../src/engines/generic/parse-sarif.ts';
import { aBaseComparison, aCheckStory, aFinding, anEngineError, aReport, aRun } from '../../support/engine-stories.ts';
import { findSarifErrors } from '../../support/sarif-schema.ts';

const Invocation = z.looseObject({
  executionSuccessful: z.boolean(),
  exitCode: z.number().optional(),
  toolExecutionNotifications: z
    .array(z.looseObject({ level: z.string(), message: z.object({ text: z.string() }) }))
    .optional(),
  toolConfigurationNotifications: z.array(z.looseObject({ message: z.object({ text: z.string() }) })).optional(),
});
const Log = z.object({
  runs: z.array(
    z.object({
      tool: z.object({
        driver: z.object({
          name: z.string(),
          version: z.string().optional(),
          rules: z.array(z.object({ id: z.string() })),
        }),
      }),
      invocations: z.array(Invocation),
      results: z.array(
        z.looseObject({ ruleId: z.string(), ruleIndex: z.number(), baselineState: z.string().optional() }),
      ),
    }),
  ),
});
type Log = z.infer<typeof Log>;

/** The log as readers get it; it has to fit the published schema. */
function toLog(story: CheckStory): Log {
  const log: unknown = JSON.parse(JSON.stringify(toCheckSarif(story, '1.2.3')));
  expect(findSarifErrors(log)).toEqual([]);
  return Log.parse(log);
}

describe('the SARIF log of a check', () => {
  it('has a run of Ratchet itself and one for each engine, with rules, places and fingerprints', () => {
    const findings = [
      aFinding({
        path: 'src/ä b:c#1.ts',
        endLine: 5,
        testId: 'a test',
        otherPlaces: [{ path: 'src/z.ts', line: null }],
      }),
      aFinding({ rule: null, kind: 'parse_error', severity: 'medium', column: null, message: '' }),
      aFinding({ path: null, line: null, column: null, severity: 'low' }),
      aFinding({ line: null, severity: 'blocker' }),
    ];
    const log = toLog(
      aCheckStory({ runs: [aRun({ findings }), aRun({ engine: 'tsc', version: null, cwd: 'packages/a' })] }),
    );

    expect(log.runs.map(({ tool: { driver } }) => driver)).toEqual([
      { name: 'ratchet', version: '1.2.3', rules: [] },
      { name: 'eslint', version: '10.15.0', rules: [{ id: 'no-var' }, { id: 'parse_error' }] },
      { name: 'tsc', rules: [] },
    ]);
    expect(log.runs[1]?.results).toMatchObject([
      { ruleIndex: 0, level: 'note', locations: [{ physicalLocation: { artifactLocation: { uri: '.' } } }] },
      { level: 'error', locations: [{ physicalLocation: { artifactLocation: { uri: 'src/a.ts' } } }] },
      { ruleId: 'parse_error', ruleIndex: 1, level: 'warning', message: { text: 'The tool gives no message.' } },
      {
        ruleId: 'no-var',
        level: 'error',
        message: { text: 'a test: Unexpected var.' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'src/%C3%A4%20b%3Ac%231.ts' },
              region: { startLine: 3, startColumn: 1, endLine: 5 },
            },
          },
        ],
        relatedLocations: [{ physicalLocation: { artifactLocation: { uri: 'src/z.ts' } } }],
        properties: { severity: 'high', kind: 'lint', testId: 'a test' },
      },
    ]);
    expect(
      log.runs.flatMap(({ invocations }) => invocations.map(({ executionSuccessful }) => executionSuccessful)),
    ).toEqual([true, true, true]);
  });

  it('is read by Ratchet itself as what it was written from', () => {
    const log = toCheckSarif(aCheckStory({ runs: [aRun({ findings: [aFinding({ path: 'a b/ü.ts' })] })] }), '1');
    const input = {
      reports: {},
      stderr: '',
      root: '/repo',
      cwd: '.',
      exitCode: 1,
      earlierExitCodes: [],
      version: null,
    };

    const payload = createSarifParser('lint')({ ...input, text: JSON.stringify(log) });

    expect(payload).toMatchObject({
      kind: 'parsed',
      partial: null,
      toolFailure: null,
      findings: [{ path: 'a b/ü.ts', line: 3, column: 1, rule: 'no-var', message: 'Unexpected var.' }],
    });
  });

  it.each<readonly [string, Parameters<typeof aCheckStory>[0]]>([
    ['failed', { runs: [aRun({ complete: false })], engineErrors: [anEngineError({ engine: 'eslint' })] }],
    ['left no run', { engineErrors: [anEngineError({ argv: [], exitCode: null })] }],
    ['did not look at everything', { runs: [aRun({ complete: false, incompleteWhy: 'a file could not be parsed' })] }],
    ['does not say why it is incomplete', { runs: [aRun({ complete: false })] }],
    [
      'was ended by a signal',
      {
        runs: [
          aRun({ complete: false, exit: { kind: 'signalled', exitCode: null, signal: 'SIGKILL', durationMs: 1 } }),
        ],
      },
    ],
    ['is not there, whatever was looked for', { lookedFor: ['eslint'] }],
    ['lacks its dependencies', { skipped: [{ engine: 'eslint', project: '.', why: 'dependencies_missing' }] }],
    [
      'is misconfigured',
      { configErrors: [{ engine: 'ruff', code: 'CONFIG_MISSING', message: 'there is no ruff.toml' }] },
    ],
  ])('does not look clean where an engine %s', (_, change) => {
    const log = toLog(aCheckStory(change));
    const [own, ...engines] = log.runs;
    const notes = (own?.invocations ?? []).flatMap(
      ({ toolExecutionNotifications = [], toolConfigurationNotifications = [] }) => [
        ...toolExecutionNotifications,
        ...toolConfigurationNotifications,
      ],
    );
    const ofEngines = engines.flatMap(({ invocations }) => invocations);

    expect(own?.invocations[0]?.executionSuccessful).toBe(false);
    expect(own?.invocations[0]?.exitCode).toBeGreaterThan(1);
    expect(ofEngines.every(({ executionSuccessful }) => !executionSuccessful)).toBe(true);
    expect([
      ...notes,
      ...ofEngines.flatMap(({ toolExecutionNotifications = [] }) => toolExecutionNotifications),
    ]).not.toEqual([]);
  });

  it('calls findings new or unchanged only where they were compared, and leaves out what is gone', () => {
    const [added, known, open, odd] = ['a.ts', 'b.ts', 'c.ts', 'd.ts'].map((path) => aFinding({ path }));
    if (added === undefined || known === undefined || open === undefined || odd === undefined)
      throw new Error('no finding');
    const lists = { removedTests: [], skippedTests: [] };
    const engines: readonly EngineComparison[] = [
      {
        kind: 'compared',
        engine: 'eslint',
        project: '.',
        added: [added],
        fixed: [aFinding({ path: 'gone.ts' })],
        existing: [known],
        uncompared: [open],
        ...lists,
      },
      {
        kind: 'not_comparable',
        engine: 'tsc',
        project: '.',
        why: 'it failed at the base',
        findings: [odd],
        existing: [],
      },
    ];
    const suppression = aFinding({ tool: 'ratchet', kind: 'suppression', rule: 'new-suppression/noqa', path: 'e.py' });
    const comparison = aBaseComparison(engines, { suppressions: [suppression], isPatchWhole: false });
    const runs = [
      aRun({ findings: [added, known, open] }),
      aRun({ engine: 'tsc', findings: [{ ...odd, tool: 'tsc' }] }),
    ];
    const log = toLog({ report: aReport({ runs }), comparison });

    expect(log.runs.map(({ results }) => results.map(({ baselineState }) => baselineState))).toEqual([
      ['new'],
      ['new', 'unchanged', undefined],
      [undefined],
    ]);
    expect(log.runs[0]?.invocations[0]).toMatchObject({
      executionSuccessful: false,
      toolExecutionNotifications: [
        { level: 'error', message: { text: 'the change since the base was not read whole' } },
        { level: 'warning', message: { text: 'tsc is not comparable: it failed at the base' } },
      ],
    });
  });

  it('says that nothing ran where there is no report', () => {
    const log: unknown = toFailedSarif({ exitCode: 2, problems: ['there is no a.ts', ''], version: '1' });

    expect(findSarifErrors(log)).toEqual([]);
    expect(log).toMatchObject({
      runs: [
        {
          invocations: [
            {
              exitCode: 2,
              executionSuccessful: false,
              toolConfigurationNotifications: [
                { message: { text: 'there is no a.ts' } },
                { message: { text: 'no reason is known' } },
              ],
            },
          ],
          results: [],
        },
      ],
    });
  });
});
