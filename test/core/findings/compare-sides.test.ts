import { describe, expect, it } from 'vitest';
import { compareSides, type SidesInput } from '../../../src/core/findings/compare-sides.ts';
import type { EngineProject } from '../../../src/core/model/project.ts';
import { aFinding, aRun } from '../../support/engine-stories.ts';

const CONFTEST = 'tests/conftest.py';

function input(change: Partial<SidesInput>): SidesInput {
  return {
    heads: [aRun()],
    bases: new Map([['eslint', aRun()]]),
    renames: new Map(),
    changedLines: new Map(),
    carried: new Set(),
    changedConfigs: [],
    sight: () => true,
    ...change,
  };
}

describe('compareSides', () => {
  it('compares each engine with its own run of the base, in the order of the head', () => {
    const found = aFinding();
    const heads = [aRun({ engine: 'mypy', project: '.' }), aRun({ findings: [found] })];

    expect(compareSides(input({ heads }))).toMatchObject([
      { kind: 'not_comparable', engine: 'mypy', project: '.' },
      { kind: 'compared', engine: 'eslint', project: '.', added: [found] },
    ]);
    expect(compareSides(input({ bases: new Map([['eslint', null]]) }))).toMatchObject([{ kind: 'not_comparable' }]);
  });

  it('lets the base not speak for a file that it had from the head', () => {
    const [changed, other] = [aFinding({ path: CONFTEST, line: 3 }), aFinding({ path: CONFTEST, line: 4 })];
    const run = aRun({ findings: [changed, other, aFinding()] });
    const sides = input({
      ...{ heads: [run], bases: new Map([['eslint', run]]) },
      ...{ carried: new Set([CONFTEST]), changedLines: new Map([[CONFTEST, new Set([3])]]) },
    });

    expect(compareSides(sides)).toMatchObject([{ added: [changed], existing: [aFinding()], uncompared: [other] }]);
  });

  it('lets the base not speak for a failing test of an engine whose configuration the change touches, and of no other', () => {
    const failing = aFinding({ kind: 'test_failure' });
    const [run, other] = [aRun({ findings: [failing] }), aRun({ engine: 'jest', project: '.', findings: [failing] })];
    const sides = input({
      ...{ heads: [run, other], bases: new Map([run, other].map((one) => [one.engine, one])) },
      changedConfigs: [{ engine: 'jest', paths: ['jest.config.js'] }],
    });

    expect(compareSides(sides)).toMatchObject([
      { engine: 'eslint', project: '.', existing: [failing], uncompared: [] },
      { engine: 'jest', project: '.', existing: [], uncompared: [failing] },
    ]);
  });

  it('calls nothing new in a file that the base lacks though nobody added it', () => {
    const [inFolder, file, outside, nowhere] = [
      aFinding({ path: 'vendor/lib/a.ts' }),
      aFinding({ path: 'data.ts' }),
      aFinding({ path: 'data.tsx' }),
      aFinding({ path: null, line: null }),
    ];
    const findings = [inFolder, file, outside, nowhere];
    const apart = ['vendor/lib', 'data.ts'];

    expect(compareSides(input({ heads: [aRun({ findings })], apart }))).toMatchObject([
      { added: [nowhere, outside], uncompared: [file, inFolder], existing: [] },
    ]);
    expect(compareSides(input({ heads: [aRun({ findings: [outside] })], apart }))).toMatchObject([
      { added: [outside], uncompared: [] },
    ]);
  });

  it('calls nothing fixed in a file that a rename took out of the sight of that engine', () => {
    const heads = [aRun(), aRun({ engine: 'biome', project: '.' })];
    const found = aFinding({ path: 'a.ts' });
    const bases = new Map(heads.map((head) => [head.engine, { ...head, findings: [found] }]));
    const sight = ({ engine }: EngineProject, path: string): boolean => engine === 'biome' || path.endsWith('.ts');

    expect(compareSides(input({ heads, bases, sight, renames: new Map([['a.md', 'a.ts']]) }))).toMatchObject([
      { engine: 'eslint', project: '.', fixed: [] },
      { engine: 'biome', project: '.', fixed: [found] },
    ]);
  });
});
