import { describe, expect, it } from 'vitest';
import { countAfter, type FixerStory } from '../../../src/core/render/check-story.ts';
import { renderPlans } from '../../../src/core/render/render-check-report.ts';
import { renderFix, renderPlannedFixes } from '../../../src/core/render/render-fix.ts';
import { toCheckJson, toPlanJson } from '../../../src/core/render/to-check-json.ts';
import { CATALOGUE } from '../../../src/engines/catalogue.ts';
import { aCheckStory, aFinding, aReport, aRun } from '../../support/engine-stories.ts';

const FIXER: FixerStory = {
  engine: 'eslint',
  mode: 'current',
  project: '.',
  argv: ['eslint', '--fix', 'a.ts'],
  exitCode: 0,
  files: 1,
  before: 3,
};

describe('what fixers changed', () => {
  it('is nothing where nobody asked', () => {
    expect(renderFix(aCheckStory())).toEqual([]);
  });

  it('is told by fixer and by file, at most twenty', () => {
    const changed = Array.from({ length: 23 }, (_, index) => `f${String(index)}.ts`);
    const fixers = [FIXER, { ...FIXER, engine: 'biome', project: 'a', before: null, files: 2 }];
    const story = { ...aCheckStory({ runs: [aRun({ findings: [aFinding()] })] }), fix: { changed, fixers } };
    const lines = renderFix(story);

    expect(lines.slice(0, 3)).toEqual([
      '  eslint: 3 findings before, 1 after (1 file)',
      '  biome (a): an unknown number of findings before, an unknown number after (2 files)',
      '  changed f0.ts',
    ]);
    expect(lines).toHaveLength(23);
    expect(lines.at(-1)).toBe('  and 3 more files');
    expect(toCheckJson(story, { diagnostics: 1, hasDiagnostics: true, hasFailures: false })).toMatchObject({
      fix: {
        changed,
        fixers: [
          { engine: 'eslint', before: 3, after: 1 },
          { engine: 'biome', before: null, after: null },
        ],
      },
    });
  });

  it('is nothing where no engine has a fixer, and where no file was changed', () => {
    expect(renderFix({ ...aCheckStory(), fix: { changed: [], fixers: [] } })).toEqual([
      '  no engine here has a fixer for these files',
    ]);
    expect(renderFix({ ...aCheckStory(), fix: { changed: [], fixers: [FIXER] } }).at(-1)).toBe('  no file was changed');
  });

  it('counts what is left in the run of the same mode, else in that of TARGET, if it is complete', () => {
    const current = aRun({ mode: 'current', findings: [aFinding()] });
    const count = (...runs: readonly ReturnType<typeof aRun>[]): number | null => countAfter(aReport({ runs }), FIXER);

    expect(count(current, aRun())).toBe(1);
    expect(count(aRun())).toBe(0);
    expect(count(aRun({ complete: false }))).toBeNull();
    expect(count(aRun({ project: 'a' }))).toBeNull();
  });

  it('is told beforehand by fixer', () => {
    const [spec] = CATALOGUE;
    if (spec === undefined) throw new Error('no engine');
    const rest = {
      configPath: null,
      args: [],
      enabled: true,
      profile: null,
      env: {},
      cwd: 'a',
      hash: '',
      scopeHash: '',
    };
    const of = { ...rest, engine: 'biome', project: 'a', mode: 'current', excludes: [], usesToolScope: false } as const;
    const fixes = [{ spec, plan: { ...of, targets: ['a/x.ts', 'a/y.ts'] } }];
    const story = aCheckStory();

    expect(renderPlannedFixes([])).toEqual(['  no engine here has a fixer for these files']);
    expect(renderPlannedFixes(fixes)).toEqual(['  biome (a) current: 2 files']);
    expect(renderPlans({ ...story, fixes }, (_, text) => text)).toContain('Fixers\n  biome (a) current: 2 files\n');
    expect(renderPlans({ ...story, fixes: null }, (_, text) => text)).not.toContain('Fixers');
    expect(toPlanJson({ ...story, fixes })).toMatchObject({
      fixes: [{ engine: 'biome', project: 'a', mode: 'current', files: ['a/x.ts', 'a/y.ts'] }],
    });
  });
});
