import { describe, expect, it } from 'vitest';
import { findCarried, findChangedConfigs, findConfigs } from '../../../src/core/engines/find-carried.ts';

const SPECS = [
  { id: 'pytest', configFiles: ['**/conftest.py', 'pyproject.toml'] },
  { id: 'ruff', configFiles: ['ruff.toml', 'pyproject.toml'] },
];
const PLANS = [
  { engine: 'pytest', project: '.', configPath: null },
  { engine: 'ruff', project: '.', configPath: 'conf/lint.toml' },
];
const FILES = ['tests/conftest.py', 'ruff.toml', 'conf/lint.toml', 'pyproject.toml', 'a.py'];
const configs = findConfigs({ plans: PLANS, specs: SPECS, files: FILES });

describe('what configures engines', () => {
  it('are the file that was chosen and all that the tool would find by itself', () => {
    expect(configs).toEqual(
      new Map([
        ['pytest', ['pyproject.toml', 'tests/conftest.py']],
        ['ruff', ['conf/lint.toml', 'pyproject.toml', 'ruff.toml']],
      ]),
    );
  });

  it('is not known of an engine that has no plan, or of a plan without an engine', () => {
    expect(findConfigs({ plans: PLANS, specs: SPECS.slice(1), files: FILES }).has('pytest')).toBe(false);
    expect(findConfigs({ plans: [], specs: SPECS, files: FILES })).toEqual(new Map());
  });

  it('is carried to the base, each file once and in one order, with whatever else steers them', () => {
    expect(findCarried(configs, ['z.lock', 'pyproject.toml', 'b.lock'])).toEqual([
      ...['b.lock', 'conf/lint.toml', 'pyproject.toml', 'ruff.toml', 'tests/conftest.py', 'z.lock'],
    ]);
  });

  it.each([
    ['of each engine that shares it', ['pyproject.toml'], ['pytest', 'ruff']],
    ['of its own engine alone', ['tests/conftest.py', 'a.py'], ['pytest']],
    ['of none where only other files are changed', ['a.py'], []],
  ])('is told where it is changed, %s', (_what, changed, engines) => {
    const found = findChangedConfigs(configs, new Set(changed));

    expect(found.map(({ engine }) => engine)).toEqual(engines);
    expect(found.every(({ paths }) => paths.length === 1 && paths[0] === changed[0])).toBe(true);
  });
});
