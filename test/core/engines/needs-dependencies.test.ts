import { describe, expect, it } from 'vitest';
import { needsDependencies } from '../../../src/core/engines/needs-dependencies.ts';

const LOCKFILES = [
  ...['Cargo.lock', 'Pipfile.lock', 'go.sum', 'npm-shrinkwrap.json', 'package-lock.json', 'pnpm-lock.yaml'],
  ...['poetry.lock', 'requirements.txt', 'uv.lock', 'yarn.lock'],
];

describe('a repository that needs dependencies', () => {
  it.each(LOCKFILES)('has %s', (path) => {
    expect(needsDependencies(['a.py', path], {})).toBe(true);
  });

  it.each([
    ['package.json', '{"dependencies":{"a":"1"}}'],
    ['package.json', '{"devDependencies":{"a":"1"}}'],
    ['package.json', '{"name":"x","dependencies":{"a":"1"},"devDependencies":{},"scripts":{"b":"c"}}'],
    ['pyproject.toml', '[project]\ndependencies = ["requests"]\n'],
    ['pyproject.toml', "[project]\n  dependencies=[\n  'requests',\n]\n"],
    ['pyproject.toml', '[tool.poetry.dependencies]\npython = "^3"\n'],
    ['pyproject.toml', '[tool.poetry.group.dev.dependencies]\n'],
  ])('names them in %s: %j', (path, text) => {
    expect(needsDependencies([path], { [path]: text })).toBe(true);
  });
});

describe('a repository that needs none', () => {
  it.each([
    ['package.json', '{"name":"a"}'],
    ['package.json', '{"dependencies":{}}'],
    ['package.json', '{"dependencies":null}'],
    ['package.json', '{"dependencies":"a"}'],
    ['package.json', '{"optionalDependencies":{"a":"1"},"peerDependencies":{"a":"1"}}'],
    ['package.json', '{"scripts":{"dependencies":"a"}}'],
    ['package.json', '{"dependencies":"a"'],
    ['package.json', 'null'],
    ['package.json', '"dependencies"'],
    ['pyproject.toml', '[project]\ndependencies = []\n'],
    ['pyproject.toml', '# [tool.poetry.dependencies]\n'],
  ])('says so in %s: %j', (path, text) => {
    expect(needsDependencies([path], { [path]: text })).toBe(false);
  });

  it('has nothing that would name them', () => {
    expect(needsDependencies(['a.py'], {})).toBe(false);
    expect(needsDependencies(['package.json'], { 'package.json': null })).toBe(false);
  });

  it('has a lockfile only somewhere below, where it may be an example', () => {
    expect(needsDependencies(['test/fixtures/package-lock.json'], {})).toBe(false);
  });

  it.each(['node_modules', '.venv', 'venv', 'vendor'])('brings them along in %s', (folder) => {
    expect(needsDependencies(['package-lock.json', `${folder}/a/index.js`], {})).toBe(false);
    expect(needsDependencies(['package-lock.json', `${folder}.txt`], {})).toBe(true);
  });
});
