import { describe, expect, it } from 'vitest';
import { findConfigFiles, toConfigDigest, toRunSignature } from '../../../src/core/engines/run-signature.ts';
import type { DeclaredEngine } from '../../../src/core/model/policy.ts';

const FILES = ['web/tsconfig.json', 'ruff.toml', 'pyproject.toml', 'other.toml', 'a.py'];

const DECLARED: DeclaredEngine = {
  command: ['./check', '{report}'],
  format: 'matcher',
  kind: 'lint',
  globs: ['**'],
  targets: 'project',
  from: 'file',
  matcher: 'matcher.json',
  matcherText: '{}',
  fix: null,
  emptyMeansClean: false,
};

describe('findConfigFiles', () => {
  it.each([
    ['all that the tool finds by itself', ['ruff.toml', 'pyproject.toml'], null, ['pyproject.toml', 'ruff.toml']],
    ['files below', ['**/tsconfig*.json'], null, ['web/tsconfig.json']],
    ['the one that was chosen', [], 'other.toml', ['other.toml']],
    ['both, as one may build on the other', ['ruff.toml'], 'other.toml', ['other.toml', 'ruff.toml']],
    ['one that is both, once', ['ruff.toml'], 'ruff.toml', ['ruff.toml']],
    ['none', ['x.toml'], null, []],
    ['none that is not there', [], 'gone.toml', []],
  ])('names %s, sorted', (_what, configFiles, configPath, expected) => {
    expect(findConfigFiles({ configFiles }, { configPath, project: '.' }, FILES)).toEqual(expected);
  });
});

describe('toConfigDigest', () => {
  const digest = toConfigDigest({ 'a.toml': 'x', 'b.toml': 'y' });

  it.each<[string, Readonly<Record<string, string | null>>]>([
    ['another text', { 'a.toml': 'x', 'b.toml': 'z' }],
    ['another name', { 'a.toml': 'x', 'c.toml': 'y' }],
    ['texts that changed places', { 'a.toml': 'y', 'b.toml': 'x' }],
    ['a file less', { 'a.toml': 'x' }],
    ['a file that cannot be read', { 'a.toml': 'x', 'b.toml': null }],
    ['an empty file', { 'a.toml': 'x', 'b.toml': '' }],
  ])('changes with %s', (_what, texts) => {
    expect(toConfigDigest(texts)).not.toBe(digest);
  });

  it('tells a file that cannot be read from an empty one', () => {
    expect(toConfigDigest({ a: null })).not.toBe(toConfigDigest({ a: '' }));
  });

  it('does not see the order in which files were read', () => {
    expect(toConfigDigest({ 'b.toml': 'y', 'a.toml': 'x' })).toBe(digest);
  });

  it.each<[string, DeclaredEngine | null]>([
    ['no declaration', null],
    ['another command', { ...DECLARED, command: ['./check2', '{report}'] }],
    ['another format', { ...DECLARED, format: 'sarif' }],
    ['another kind', { ...DECLARED, kind: 'test' }],
    ['other globs', { ...DECLARED, globs: ['*'] }],
    ['other targets', { ...DECLARED, targets: 'files' }],
    ['another stream', { ...DECLARED, from: 'stdout' }],
    ['another matcher', { ...DECLARED, matcher: 'b.json' }],
    ['another text of the matcher', { ...DECLARED, matcherText: '[]' }],
    ['another meaning of silence', { ...DECLARED, emptyMeansClean: true }],
  ])('of an engine of the repository changes with %s', (_what, declared) => {
    expect(toConfigDigest({}, declared)).not.toBe(toConfigDigest({}, DECLARED));
  });

  it('does not see the order of what is declared', () => {
    const turned = { ...DECLARED, ...Object.fromEntries(Object.entries(DECLARED).toReversed()) };

    expect(toConfigDigest({}, turned)).toBe(toConfigDigest({}, DECLARED));
  });

  it('gives the digits under which earlier runs are stored', () => {
    expect(digest).toBe('62d0a32310902812b6f9e35bd35ab0b773f53f05c3ec08d3edadff5a074e6b8c');
  });
});

describe('toRunSignature', () => {
  const IDENTITY = { scopeHash: 'p', version: '1.2', configDigest: 'c' };

  it.each([
    ['another plan', { scopeHash: 'q' }],
    ['another version of the tool', { version: '1.3' }],
    ['a version that is not known', { version: null }],
    ['another configuration', { configDigest: 'd' }],
  ])('changes with %s', (_what, change) => {
    expect(toRunSignature({ ...IDENTITY, ...change })).not.toBe(toRunSignature(IDENTITY));
  });

  it('never takes parts that read alike when joined for the same', () => {
    expect(toRunSignature({ scopeHash: 'a', version: 'b', configDigest: 'c' })).not.toBe(
      toRunSignature({ scopeHash: 'ab', version: '', configDigest: 'c' }),
    );
  });

  it('gives the digits under which earlier runs are stored', () => {
    expect(toRunSignature(IDENTITY)).toBe('794b08846780d608629bbf35ae6bf0ff81678a122525ffab655f8348bd3042ad');
  });
});
