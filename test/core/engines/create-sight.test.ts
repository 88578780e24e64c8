import { describe, expect, it } from 'vitest';
import { createSight } from '../../../src/core/engines/create-sight.ts';
import { planEngines } from '../../../src/core/engines/plan-engines.ts';
import { aPlanRequest, aSpec, planOne } from '../../support/plan-builders.ts';

const RUFF = { engine: 'ruff', project: '.' };
const ESLINT = { engine: 'eslint', project: '.' };

describe('what an engine looks at', () => {
  it.each([
    ['src/a.py', true],
    ['src/new.py', true],
    ['lib/c.py', false],
    ['src/a.txt', false],
  ])('are files of its globs in the scope of TARGET, whether or not they are there: %s', (path, expected) => {
    const sight = createSight(planOne({ cli: ['lib'], settings: { paths: ['src'] } }));

    expect(sight(RUFF, path)).toBe(expected);
  });

  it('is everything of its globs where nothing is said', () => {
    const sight = createSight(planOne({}));

    expect([sight(RUFF, 'anywhere/x.py'), sight(RUFF, 'anywhere/x.txt')]).toEqual([true, false]);
  });

  it('are, of a tool for whole projects, files of its globs below the folder that it runs in, whatever the scope', () => {
    const sight = createSight(planOne({ settings: { paths: ['lib'], cwd: 'src' }, spec: { targetMode: 'project' } }));

    expect(['src/pkg/x.py', 'lib/c.py', 'src/x.txt'].map((path) => sight(RUFF, path))).toEqual([true, false, false]);
  });

  it('is told of each engine by itself', () => {
    const specs = [aSpec(), aSpec({ id: 'eslint', globs: ['**/*.ts'] })];
    const sight = createSight(planEngines(aPlanRequest({ specs })));

    expect([sight(RUFF, 'a.py'), sight(ESLINT, 'a.py'), sight(ESLINT, 'a.ts')]).toEqual([true, false, true]);
  });

  it('is not known of an engine that is not planned, or in the mode CURRENT alone', () => {
    expect(createSight(planOne({}))({ engine: 'mypy', project: '.' }, 'a.txt')).toBe(true);
    expect(createSight(planOne({ request: 'current', cli: ['src'] }))(RUFF, 'lib/c.txt')).toBe(true);
    expect(createSight(planOne({ cli: ['src'], settings: { paths: ['web'] } }))(RUFF, 'a.txt')).toBe(true);
  });
});
