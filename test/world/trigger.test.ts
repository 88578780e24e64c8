import { describe, expect, it } from 'vitest';
import { hasPathFilter, isTouched, isTriggered, toTrigger } from '../../world/ci/trigger.ts';

const on = (filter: Parameters<typeof toTrigger>[0]): ReturnType<typeof toTrigger> => {
  return toTrigger({ pull_request: filter }, 'pull_request');
};

describe('a workflow’s trigger', () => {
  it.each([
    ['as a text', 'push'],
    ['in a list', ['pull_request', 'push']],
    ['without filters', { push: null }],
  ])('named %s lets everything through', (_how, value) => {
    const trigger = toTrigger(value, 'push');

    expect(isTriggered(trigger, 'any/branch')).toBe(true);
    expect(hasPathFilter(trigger)).toBe(false);
    expect(isTouched(trigger, [])).toBe(true);
  });

  it('of another event lets nothing through', () => {
    const trigger = toTrigger({ push: null }, 'pull_request');

    expect([isTriggered(trigger, 'main'), isTouched(trigger, ['a']), hasPathFilter(trigger)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it.each([
    [{ branches: ['main', 'release/*'] }, 'release/1', true],
    [{ branches: ['main', 'release/*'] }, 'release/1/a', false],
    [{ branches: ['release/**', '!release/old'] }, 'release/old', false],
    [{ 'branches-ignore': ['wip/**'] }, 'wip/a/b', false],
    [{ 'branches-ignore': ['wip/**'] }, 'main', true],
  ])('with %j answers for branch %s: %s', (filter, branch, isThrough) => {
    expect(isTriggered(on(filter), branch)).toBe(isThrough);
  });

  it.each([
    [{ paths: ['src/**'] }, ['docs/a.md', 'src/a/b.ts'], true],
    [{ paths: ['src/**'] }, ['docs/a.md'], false],
    [{ paths: ['src/*'] }, ['src/a/b.ts'], false],
    [{ paths: ['**/a.md'] }, ['a.md'], true],
    [{ paths: ['**.js'] }, ['lib/deep/a.js'], true],
    [{ paths: ['a.js'] }, ['aXjs'], false],
    [{ paths: ['src/**', '!src/gen/**'] }, ['src/gen/a.ts'], false],
    [{ paths: ['src/**', '!src/gen/**', 'src/gen/keep.ts'] }, ['src/gen/keep.ts'], true],
    [{ paths: ['src/**'] }, [], false],
    [{ 'paths-ignore': ['docs/**'] }, ['docs/a.md'], false],
    [{ 'paths-ignore': ['docs/**'] }, ['docs/a.md', 'a.js'], true],
  ])('with %j answers for files %j: %s', (filter, files, isThrough) => {
    expect(hasPathFilter(on(filter))).toBe(true);
    expect(isTouched(on(filter), files)).toBe(isThrough);
  });
});
