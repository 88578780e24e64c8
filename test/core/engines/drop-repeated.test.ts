import { describe, expect, it } from 'vitest';
import { dropRepeated } from '../../../src/core/engines/drop-repeated.ts';
import { createFindOwner } from '../../../src/core/engines/own-files.ts';
import type { EngineRun } from '../../../src/core/model/engine.ts';
import { aFinding, aRun } from '../../support/engine-stories.ts';

const OWNERS = new Map([['tsc', createFindOwner(['.', 'packages/a'])]]);

function aTsc(change: Partial<EngineRun>): EngineRun {
  return aRun({ engine: 'tsc', ...change });
}

function pathsOf(runs: readonly EngineRun[], owners: Parameters<typeof dropRepeated>[1] = OWNERS) {
  return dropRepeated(runs, owners).map(({ project, findings }) => [project, findings.map(({ path }) => path)]);
}

const OWN = aFinding({ path: 'src/a.ts', line: 1 });
const INNER = aFinding({ path: 'packages/a/src/x.ts', line: 3 });
const NOWHERE = aFinding({ path: null });

describe('what a run reports about a file of another project', () => {
  it('is left out where the run of that project reports it too', () => {
    const runs = [aTsc({ findings: [OWN, INNER, NOWHERE] }), aTsc({ project: 'packages/a', findings: [INNER] })];

    expect(pathsOf(runs)).toEqual([
      ['.', ['src/a.ts', null]],
      ['packages/a', ['packages/a/src/x.ts']],
    ]);
  });

  it.each<[string, readonly EngineRun[]]>([
    ['that run does not: it may not have looked at the file', [aTsc({ project: 'packages/a' })]],
    ['that run reports something else there', [aTsc({ project: 'packages/a', findings: [{ ...INNER, line: 4 }] })]],
    ['only a run of the other mode does', [aTsc({ project: 'packages/a', mode: 'current', findings: [INNER] })]],
    ['only another engine does', [aRun({ project: 'packages/a', findings: [INNER] })]],
    ['there is no such run', []],
  ])('stays where %s', (_what, others) => {
    expect(pathsOf([aTsc({ findings: [INNER] }), ...others])[0]).toEqual(['.', ['packages/a/src/x.ts']]);
  });

  it('stays where nothing is known of projects', () => {
    const runs = [aTsc({ findings: [INNER] }), aTsc({ project: 'packages/a', findings: [INNER] })];

    expect(pathsOf(runs, new Map())[0]).toEqual(['.', ['packages/a/src/x.ts']]);
  });

  it('is a test or the coverage of a file as well', () => {
    const test = { id: 't', outcome: 'failed', path: 'packages/a/t.test.ts' } as const;
    const file = { path: 'packages/a/t.ts', covered: 1, total: 2, missingLines: [2] };
    const root = aTsc({ tests: [test, { ...test, id: 'u' }], coverage: { files: [file, { ...file, path: 'b.ts' }] } });
    const inner = aTsc({ project: 'packages/a', tests: [test], coverage: { files: [file] } });

    const [outer] = dropRepeated([root, inner], OWNERS);

    expect(outer?.tests?.map(({ id }) => id)).toEqual(['u']);
    expect(outer?.coverage?.files.map(({ path }) => path)).toEqual(['b.ts']);
  });
});
