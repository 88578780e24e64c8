import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTargets, toTargetsFrom } from '../../../src/core/engines/find-targets.ts';
import { createGlobMatcher } from '../../../src/core/engines/glob-matcher.ts';
import type { TargetMode } from '../../../src/core/model/engine.ts';
import { MAX_PATH_GLOB_LENGTH } from '../../../src/core/paths/path-globs.ts';
import { forge } from '../../support/builders.ts';

const APPLICABLE = ['src/pkg/d.py', 'top.py', 'src/a.py', 'lib/c.py'];

function targets(targetMode: TargetMode, scope: readonly string[], cwd = '.'): readonly string[] {
  return findTargets({ targetMode, applicable: APPLICABLE, scope, cwd });
}

describe('findTargets', () => {
  it.each<[TargetMode, readonly string[], readonly string[]]>([
    ['files', ['.'], ['lib/c.py', 'src/a.py', 'src/pkg/d.py', 'top.py']],
    ['files', ['src'], ['src/a.py', 'src/pkg/d.py']],
    ['files', ['lib/c.py', 'src/pkg'], ['lib/c.py', 'src/pkg/d.py']],
    ['files', ['lib/gone.py', 'top.py'], ['top.py']],
    ['files', ['docs'], []],
    ['files', [], []],
    ['paths', ['.'], ['.']],
    ['paths', ['src'], ['src']],
    ['paths', ['lib/c.py', 'src/pkg'], ['lib/c.py', 'src/pkg']],
    ['paths', ['README.md', 'docs', 'lib/gone.py', 'src'], ['src']],
    ['paths', ['sr', 'src/a.p'], []],
    ['paths', [], []],
    ['packages', ['.'], ['.', 'lib', 'src', 'src/pkg']],
    ['packages', ['src'], ['src', 'src/pkg']],
    ['packages', ['src/pkg/d.py', 'top.py'], ['.', 'src/pkg']],
    ['packages', ['docs'], []],
    ['project', ['.'], ['.']],
    ['project', ['docs'], ['.']],
    ['project', [], ['.']],
  ])('of a tool for %s in %j are %j: explicit, sorted, each once (000.R8)', (mode, scope, expected) => {
    expect(targets(mode, scope)).toEqual(expected);
  });

  it.each<[TargetMode, readonly string[], readonly string[]]>([
    ['paths', ['.'], ['src/pkg']],
    ['paths', ['lib', 'src'], ['src/pkg', 'lib']],
    ['files', ['.'], ['src/pkg/d.py']],
    ['packages', ['.'], ['src/pkg']],
    ['paths', ['src/pkg/d.py'], ['src/pkg/d.py']],
  ])('of a tool for %s that runs in src/pkg in %j are %j: it does not look above it', (mode, scope, expected) => {
    expect([...targets(mode, scope, 'src/pkg')].toSorted()).toEqual([...expected].toSorted());
  });

  it.each<TargetMode>(['files', 'paths', 'packages', 'project'])('of a tool for %s are none without a file', (mode) => {
    expect(findTargets({ targetMode: mode, applicable: [], scope: ['.'], cwd: '.' })).toEqual([]);
  });

  it('of a whole project are the folder that the tool runs in, where that holds a file of it', () => {
    expect(targets('project', ['lib'], 'src')).toEqual(['src']);
    expect(targets('project', ['.'], 'docs')).toEqual([]);
    expect(targets('project', ['.'], 'sr')).toEqual([]);
  });

  it('of a tool for single things do not depend on the folder that it runs in', () => {
    for (const mode of ['files', 'paths', 'packages'] as const) {
      expect(targets(mode, ['lib'], 'src')).toEqual(targets(mode, ['lib']));
    }
  });

  it('name a folder of several files once', () => {
    const applicable = ['src/a.py', 'src/b.py'];

    expect(findTargets({ targetMode: 'packages', applicable, scope: ['.'], cwd: '.' })).toEqual(['src']);
  });

  it('are refused for a kind of tool that there is not', () => {
    expect(() => targets(forge<TargetMode>('"dirs"'), ['.'])).toThrow('unexpected value');
  });
});

describe('toTargetsFrom', () => {
  it.each([
    ['.', ['src', 'top.py'], ['src', 'top.py']],
    ['.', ['.'], ['.']],
    ['src', ['src'], ['.']],
    ['src', ['src/pkg/d.py'], ['pkg/d.py']],
    ['src', ['srcs/a.py'], ['../srcs/a.py']],
    ['src', ['lib/c.py'], ['../lib/c.py']],
    ['src/pkg', ['src/a.py', 'lib'], ['../a.py', '../../lib']],
    ['src/pkg', ['.'], ['../..']],
    ['src/pkg', ['lib/pkg/x.py'], ['../../lib/pkg/x.py']],
    ['src/pkg', ['src'], ['..']],
  ])('from the folder %j gives %j as %j', (cwd, given, expected) => {
    expect(toTargetsFrom({ cwd, targets: given })).toEqual(expected);
  });

  it.each([
    ['-rf.py', './-rf.py'],
    ['--config=evil.py', './--config=evil.py'],
    ['@args.py', './@args.py'],
    ['a-b.py', 'a-b.py'],
    ['src/-x.py', 'src/-x.py'],
  ])('never lets the name %j pass for an option', (name, expected) => {
    expect(toTargetsFrom({ cwd: '.', targets: [name] })).toEqual([expected]);
    expect(toTargetsFrom({ cwd: 'web', targets: [`web/${name}`] })).toEqual([expected]);
  });

  it('leads back to the same places', () => {
    const path = fc.array(fc.constantFrom('a', 'b', '-c'), { maxLength: 4 }).map((list) => list.join('/') || '.');
    fc.assert(
      fc.property(path, path, (cwd, target) => {
        const [relative = ''] = toTargetsFrom({ cwd, targets: [target] });
        const { pathname } = new URL(relative, `file:///${cwd === '.' ? '' : `${cwd}/`}`);

        expect(pathname.replace(/^\/|\/$/gu, '') || '.').toBe(target);
      }),
    );
  });
});

describe('createGlobMatcher', () => {
  it.each([
    ['**/*.py', 'a.py', true],
    ['**/*.py', 'src/.hidden/a.py', true],
    ['**/*.py', 'src/a.pyi', false],
    ['**/*.{ts,tsx}', 'web/x.tsx', true],
    ['*.toml', 'ruff.toml', true],
    ['*.toml', 'src/ruff.toml', false],
    ['.eslintrc*', '.eslintrc.json', true],
    ['src', 'src', true],
    ['src', 'src/a.py', false],
    ['!a.py', 'b.py', false],
    ['', '', false],
  ])('%j and %j: %s', (glob, path, expected) => {
    expect(createGlobMatcher([glob])(path)).toBe(expected);
  });

  it('takes any of several globs, and none for nothing', () => {
    expect(createGlobMatcher(['*.a', '*.b'])('x.b')).toBe(true);
    expect(createGlobMatcher([])('x.b')).toBe(false);
  });

  it('takes a glob up to the length that a policy may have, and no longer one', () => {
    const name = 'x'.repeat(MAX_PATH_GLOB_LENGTH);

    expect(createGlobMatcher([name])(name)).toBe(true);
    expect(createGlobMatcher([`${name}x`])(`${name}x`)).toBe(false);
  });
});
