import { describe, expect, it } from 'vitest';
import { readNodePackages } from '../../../src/core/projects/node-workspaces.ts';

/** The packages of a repository with these texts. */
function read(texts: Readonly<Record<string, string>>, files: readonly string[] = []) {
  return readNodePackages({ files: [...Object.keys(texts), ...files], texts });
}

const manifest = (workspaces: unknown): string => JSON.stringify({ workspaces });
const PACKAGES = ['packages/a/package.json', 'packages/b/package.json', 'apps/web/package.json'];

describe('members of workspaces', () => {
  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['none without a list', { 'package.json': '{}' }, []],
    ['a list of npm and yarn', { 'package.json': manifest(['packages/*']) }, ['packages/a', 'packages/b']],
    [
      'one with other spellings',
      { 'package.json': manifest(['./packages/a/', '/apps/**']) },
      ['apps/web', 'packages/a'],
    ],
    ['the object of yarn', { 'package.json': manifest({ packages: ['apps/*'] }) }, ['apps/web']],
    ['a glob that is negated', { 'package.json': manifest(['packages/*', '!packages/b']) }, ['packages/a']],
    ['and named again', { 'package.json': manifest(['!packages/b', 'packages/*']) }, ['packages/a', 'packages/b']],
    [
      'the list of pnpm',
      { 'pnpm-workspace.yaml': 'packages:\n  - \'packages/*\' # all\n  - "!**/b"\ncatalog:\n  - apps/*\n' },
      ['packages/a'],
    ],
    ['in one line', { 'pnpm-workspace.yaml': 'packages: ["apps/*", packages/b]\n' }, ['apps/web', 'packages/b']],
    [
      'pnpm before npm',
      { 'pnpm-workspace.yaml': 'packages:\n- apps/*', 'package.json': manifest(['packages/*']) },
      ['apps/web'],
    ],
    [
      'a file of pnpm without a list',
      { 'pnpm-workspace.yaml': 'onlyBuiltDependencies: []', 'package.json': manifest(['apps/*']) },
      [],
    ],
    ['a list of something else', { 'package.json': manifest([1, null, 'apps/*']) }, ['apps/web']],
    ['a list that is none', { 'package.json': manifest('apps/*') }, []],
    ['a file that is no JSON', { 'package.json': '{"workspaces": [' }, []],
    ['a list below', { 'packages/package.json': manifest(['*']) }, ['packages/a', 'packages/b']],
  ])('are those of %s', (_what, texts, expected) => {
    const { isMember } = read(texts, PACKAGES);

    expect(['apps/web', 'packages/a', 'packages/b'].filter(isMember)).toEqual(expected);
  });

  it('are installed, and so is a package with a lockfile of its own; others have a reason', () => {
    const texts = { 'package.json': manifest(['packages/*']) };
    const { findObstacle, findPackage } = read(texts, [...PACKAGES, 'docs/package.json', 'docs/yarn.lock']);
    const why = 'it is no workspace of package.json';

    expect(['.', 'packages/a', 'docs', 'apps/web'].map(findObstacle)).toEqual([null, null, null, why]);
    expect(['.', 'apps/web/src', 'other'].map(findPackage)).toEqual(['.', 'apps/web', '.']);
    expect(read({}, ['a/package.json', 'node_modules/x/package.json']).findPackage('node_modules/x')).toBeNull();
  });

  it('are not looked for where no list exists: each package is its own', () => {
    const { findObstacle } = read({}, PACKAGES);

    expect(findObstacle('packages/a')).toBeNull();
    expect(findObstacle('test/fixtures/a')).toBe('it is in a folder of fixtures or of code of others');
  });
});
