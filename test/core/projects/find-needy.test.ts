import { describe, expect, it } from 'vitest';
import { toDependencies } from '../../../src/core/engines/to-dependencies.ts';
import { findNeedy } from '../../../src/core/projects/find-needy.ts';

describe('folders below the root that need packages', () => {
  it('have a package.json that names some, and get them from their own folder or from one above', () => {
    const texts = {
      'package.json': '{"dependencies":{"a":"1"}}',
      'web/package.json': '{"devDependencies":{"eslint":"*"}}',
      'lib/package.json': '{"name":"lib"}',
      'deep/er/package.json': '{"dependencies":{"b":"1"}}',
      'web/node_modules/x/package.json': '{"dependencies":{"c":"1"}}',
      'test/fixtures/p/package.json': '{"dependencies":{"d":"1"}}',
    };

    expect(findNeedy({ files: [...Object.keys(texts), 'gone/package.json', 'web/a.js'], texts })).toEqual([
      { folder: 'web', places: ['web/node_modules', 'node_modules'] },
      { folder: 'deep/er', places: ['deep/er/node_modules', 'deep/node_modules', 'node_modules'] },
    ]);
  });
});

describe('the dependencies of a project', () => {
  it.each([
    ['web', 'missing'],
    ['web/src', 'missing'],
    ['webb', 'ready'],
    ['.', 'ready'],
  ])('are missing where it or a folder around it lacks them: %s', (project, expected) => {
    expect(toDependencies({ dependencies: 'ready', lacking: ['web'] }, project)).toBe(expected);
    expect(toDependencies({ dependencies: 'missing' }, project)).toBe('missing');
    expect(toDependencies({ dependencies: 'ready' }, project)).toBe('ready');
  });
});
