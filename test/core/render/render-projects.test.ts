import { expect, it } from 'vitest';
import { renderProjects } from '../../../src/core/render/render-projects.ts';

it('the projects of a plan are a tree of folders, with the reason of each engine, and with what was looked for in vain', () => {
  const text = renderProjects(
    [
      { engine: 'eslint', project: '.', isTaken: true, why: 'eslint.config.js' },
      { engine: 'eslint', project: 'packages/a\u001B[31m', isTaken: true, why: 'packages/a/eslint.config.js' },
      { engine: 'ruff', project: null, isTaken: false, why: 'there is no ruff.toml' },
      { engine: 'vitest', project: 'examples', isTaken: false, why: 'it is no workspace of package.json' },
    ],
    'Projects',
  );

  expect(text.split('\n')).toEqual([
    'Projects',
    '  .',
    '    eslint, for eslint.config.js',
    '    examples',
    '      not vitest: it is no workspace of package.json',
    expect.stringMatching(/^ {6}packages\/a[^\u001B]*$/u),
    '        eslint, for packages/a/eslint.config.js',
    '  not found',
    '    ruff: there is no ruff.toml',
  ]);
  expect(renderProjects([], 'Projects')).toBe('');
});
