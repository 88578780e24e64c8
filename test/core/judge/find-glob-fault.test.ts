import { describe, expect, it } from 'vitest';
import { findGlobFault } from '../../../src/core/judge/find-glob-fault.ts';

describe('findGlobFault', () => {
  it.each([
    ...[
      'src',
      'src/',
      '/src/**',
      './src/**',
      '**',
      '*',
      '**/*.lock',
      '.github/**',
      '..hidden',
      'a..b/c',
      'a.',
      '.'.repeat(3),
    ],
    ...['!(a|b)/c', 'a/!b', 'app/[id]/page.tsx', 'app/\\[id\\]/\\(x\\)/\\{y\\}', 'a b/c', '{a,b}/**', 'src//x'],
  ])('finds nothing wrong with %j', (glob) => {
    expect(findGlobFault(glob)).toBeNull();
  });

  it.each([
    ['src\\**', 'write "src/**"'],
    ['src\\\\a', 'write "src/a"'],
    ['“src”', 'write "src"'],
    ['{a,b', 'brace'],
    [' src', 'white space'],
    ['src\t', 'white space'],
    [' ', 'white space'],
    ['!legal/**', '`!`'],
    ['!', '`!`'],
    ['/', 'no path'],
    ['./', 'no path'],
    ['.', 'no path'],
    ['', 'no path'],
    ['../secrets/**', '`..`'],
    ['a/../b', '`..`'],
    ['a/..', '`..`'],
    ['a/./b', '`.`'],
    ['/../a', '`..`'],
  ])('says what is wrong with %j: %s', (glob, why) => {
    expect(findGlobFault(glob)).toContain(why);
  });
});
