import { describe, expect, it } from 'vitest';
import type { EngineSpec } from '../../../src/core/model/engine.ts';
import { detectProjects, type ProjectRules } from '../../../src/core/projects/detect-projects.ts';
import { findDetectionFiles, toFolder } from '../../../src/core/projects/repository-facts.ts';
import { CATALOGUE } from '../../../src/engines/catalogue.ts';

type Texts = Readonly<Record<string, string>>;

interface Given {
  readonly files?: readonly string[];
  readonly texts?: Texts;
  readonly rules?: Partial<ProjectRules>;
}

/** What is found of one engine. */
function find(id: string, { files = [], texts = {}, rules = {} }: Given) {
  const specs = CATALOGUE.filter((spec) => spec.id === id);
  const all = [...files, ...Object.keys(texts)].toSorted();
  return detectProjects(specs, { files: all, texts }, { add: [], exclude: [], ...rules }).get(id);
}

function taken(id: string, given: Given): readonly string[] {
  return find(id, given)?.taken.map(({ project }) => project) ?? [];
}

const WORKSPACES = '{"workspaces":["packages/*"]}';
const MEMBERS: Texts = { 'package.json': WORKSPACES, 'packages/a/package.json': '{}', 'packages/b/package.json': '{}' };

describe('projects of an engine', () => {
  it.each<[string, string, Given, readonly string[]]>([
    ['eslint', 'nothing', {}, []],
    [
      'stylelint',
      'a configuration in a manifest (E10)',
      {
        files: ['c/package.json'],
        texts: { 'package.json': '{"stylelint":{}}', 'a/package.json': '{"name":"stylelint"}', 'b/package.json': '[]' },
      },
      ['.'],
    ],
    [
      'jest',
      'a configuration in the manifest of a workspace whose root has the package (E10)',
      { texts: { ...MEMBERS, 'packages/a/package.json': '{"jest":{}}' } },
      ['packages/a'],
    ],
    [
      'eslint',
      'each folder of a configuration',
      { files: ['eslint.config.js', 'packages/a/.eslintrc.json', 'web app/eslint.config.mts'] },
      ['.', 'packages/a', 'web app'],
    ],
    [
      'eslint',
      'none where things are installed',
      { files: ['node_modules/x/.eslintrc', 'a/node_modules/y/eslint.config.js'] },
      [],
    ],
    [
      'eslint',
      'no fixtures',
      { files: ['test/fixtures/a/.eslintrc', 'a/__fixtures__/eslint.config.js', 'vendor/x/.eslintrc'] },
      [],
    ],
    [
      'eslint',
      'fixtures that the workspaces name',
      {
        texts: { 'package.json': '{"workspaces":["fixtures/*"]}', 'fixtures/a/package.json': '{}' },
        files: ['fixtures/a/.eslintrc'],
      },
      ['fixtures/a'],
    ],
    [
      'eslint',
      'members, and no other package',
      {
        texts: { ...MEMBERS, 'examples/x/package.json': '{}' },
        files: ['packages/a/.eslintrc', 'examples/x/.eslintrc', 'tools/.eslintrc'],
      },
      ['packages/a', 'tools'],
    ],
    ['eslint', 'names in another case are other names', { files: ['A/eslint.config.js', 'a/ESLint.config.js'] }, ['A']],
    ['eslint', 'a folder that looks like an option', { files: ['--fix/eslint.config.js'] }, ['--fix']],
    [
      'biome',
      'no configuration that is a part of one above',
      { files: [], texts: { 'biome.json': '{}', 'a/biome.jsonc': '{ "root": false }', 'b/biome.json': '{}' } },
      ['.', 'b'],
    ],
    ['biome', 'one that is no part of any', { texts: { 'a/biome.json': '{"root": false}' } }, ['a']],
    [
      'vitest',
      'packages that depend on it',
      { texts: { ...MEMBERS, 'packages/a/package.json': '{"devDependencies":{"vitest":"4"}}' } },
      ['packages/a'],
    ],
    [
      'vitest',
      'no package for tests',
      { texts: { 'test/fixtures/x/package.json': '{"devDependencies":{"vitest":"4"}}' } },
      [],
    ],
    [
      'vitest',
      'the one that takes all',
      {
        texts: {
          'vitest.config.ts': 'export default { test: { projects: ["packages/*"] } }',
          'packages/a/vitest.config.ts': '',
        },
      },
      ['.'],
    ],
    [
      'vitest',
      'the one with a workspace file',
      {
        texts: { 'package.json': '{"devDependencies":{"vitest":"3"}}' },
        files: ['vitest.workspace.ts', 'packages/a/vitest.config.ts'],
      },
      ['.'],
    ],
    [
      'jest',
      'the one whose manifest takes all',
      {
        texts: {
          'package.json': '{"devDependencies":{"jest":"30"},"jest":{"projects":["a"]}}',
          'a/package.json': '{"devDependencies":{"jest":"30"}}',
        },
      },
      ['.'],
    ],
    [
      'tsc',
      'folders with files of their own',
      {
        texts: {
          'tsconfig.json': '{"files":[],"references":[{"path":"a"},{"path":"b"}]}',
          'a/tsconfig.json': '{}',
          'b/tsconfig.json': '{}',
        },
      },
      ['a', 'b'],
    ],
    [
      'tsc',
      'fixtures that a solution references',
      {
        texts: {
          'tsconfig.json': '{"files":[],"references":[{"path":"fixtures/a"}]}',
          'fixtures/a/tsconfig.json': '{}',
          'fixtures/b/tsconfig.json': '{}',
        },
      },
      ['fixtures/a'],
    ],
    [
      'mypy',
      'sections and files',
      {
        texts: { 'pyproject.toml': '[tool.mypy]', 'svc/setup.cfg': '[mypy]', 'lib/pyproject.toml': '[project]' },
        files: ['old/mypy.ini'],
      },
      ['.', 'old', 'svc'],
    ],
    [
      'ruff',
      'each nearest configuration',
      { texts: { 'pyproject.toml': '[tool.ruff.lint]' }, files: ['a/ruff.toml', 'b/.ruff.toml'] },
      ['.', 'a', 'b'],
    ],
    [
      'pytest',
      'the package around a conftest.py',
      { files: ['svc/tests/conftest.py', 'svc/setup.py', 'x/conftest.py', 'pytest/ini/pytest.ini'] },
      ['.', 'pytest/ini', 'svc'],
    ],
    [
      'pytest',
      'not the one of fixtures',
      { files: ['tests/fixtures/p/pyproject.toml', 'tests/fixtures/p/conftest.py'] },
      ['.'],
    ],
    [
      'pytest',
      'one with a configuration, for its own conftest.py',
      { texts: { 'a/pyproject.toml': '[tool.pytest.ini_options]' }, files: ['a/tests/conftest.py'] },
      ['a'],
    ],
    ['go-vet', 'modules', { files: ['go.mod', 'tools/go.mod', 'x/testdata/go.mod'] }, ['.', 'tools']],
    [
      'go-vet',
      'modules that the work file uses',
      { files: ['a/go.mod', 'b/go.mod'], texts: { 'go.work': 'use ./a' } },
      ['a'],
    ],
    ['go-test', 'modules with tests', { files: ['go.mod', 'a/go.mod', 'a/x/y_test.go'] }, ['a']],
    ['go-test', 'the root without modules', { files: ['x/y_test.go'] }, ['.']],
    [
      'golangci-lint',
      'modules at or below its configuration',
      { files: ['.golangci.yml', 'a/go.mod', 'b/go.mod'] },
      ['a', 'b'],
    ],
    ['golangci-lint', 'the module around it', { files: ['go.mod', 'tools/.golangci.toml'] }, ['.']],
    ['golangci-lint', 'its folder without modules', { files: ['x/.golangci.yml'] }, ['x']],
    [
      'clippy',
      'the workspace around a configuration',
      {
        files: ['r/crates/a/clippy.toml'],
        texts: { 'r/Cargo.toml': '[workspace]', 'r/crates/a/Cargo.toml': '[package]' },
      },
      ['r'],
    ],
    ['clippy', 'packages below it', { files: ['clippy.toml', 'a/Cargo.toml', 'b/Cargo.toml'] }, ['a', 'b']],
    [
      'clippy',
      'a section of the manifest',
      { texts: { 'Cargo.toml': '[workspace]\n[workspace.lints.clippy]' } },
      ['.'],
    ],
    ['shellcheck', 'each of its files', { files: ['.shellcheckrc', 'a/shellcheckrc'] }, ['.', 'a']],
  ])('of %s are %s', (id, _what, given, expected) => {
    expect(taken(id, given)).toEqual(expected);
  });

  it('have a reason, and so has what is none', () => {
    const texts = {
      'package.json': WORKSPACES,
      'examples/x/package.json': '{"devDependencies":{"vitest":"4"}}',
      'packages/a/package.json': '{"dependencies":{"vitest":"4"}}',
    };

    expect(find('vitest', { texts, files: ['fixtures/vitest.config.ts'], rules: { exclude: ['packages/b'] } })).toEqual(
      {
        taken: [{ project: 'packages/a', why: 'packages/a/package.json depends on vitest' }],
        left: [
          { project: 'examples/x', why: 'it is no workspace of package.json' },
          { project: 'fixtures', why: 'it is in a folder of fixtures or of code of others' },
        ],
      },
    );
    expect(find('mypy', { texts: { 'a/pyproject.toml': '[tool.mypy]' } })?.taken).toEqual([
      { project: 'a', why: 'a/pyproject.toml: [tool.mypy' },
    ]);
    expect(find('biome', { texts: { 'biome.json': '', 'a/biome.json': '"root":false' } })?.left).toEqual([
      { project: 'a', why: 'its configuration is a part of the one above' },
    ]);
    expect(find('jest', { texts: { 'jest.config.js': 'projects: []', 'a/jest.config.js': '' } })?.left).toEqual([
      { project: 'a', why: 'the configuration of . takes it' },
    ]);
  });

  it('are added and excluded by the policy', () => {
    const files = [
      'eslint.config.js',
      'a/eslint.config.js',
      'b/x.js',
      'fixtures/c/eslint.config.js',
      'fixtures/c/x.js',
      'd/x.py',
    ];
    const rules = { add: ['b', 'd', 'fixtures/c', 'gone'], exclude: ['a', 'e/**'] };
    const found = find('eslint', { files, rules });

    expect(found?.taken.map(({ project }) => project)).toEqual(['.', 'b', 'fixtures/c']);
    expect(found?.left).toEqual([{ project: 'a', why: 'the policy excludes it' }]);
    expect(taken('eslint', { files, rules: { add: ['a'], exclude: ['a'] } })).toEqual(['.']);
  });

  it('are found fast in a repository of 2,000 packages, and no more files are read than planned', () => {
    const names = Array.from({ length: 2000 }, (_, index) => `packages/p${String(index)}`);
    const files = names.flatMap((name) =>
      ['package.json', 'tsconfig.json', 'eslint.config.js', 'src/a.ts', 'src/b.ts', 'pyproject.toml', 'setup.cfg'].map(
        (file) => `${name}/${file}`,
      ),
    );
    const texts: Texts = Object.fromEntries<string>([
      ...names.map((name) => [`${name}/package.json`, '{"devDependencies":{"vitest":"4"}}'] as const),
      ['package.json', WORKSPACES],
    ]);
    const all = [...files, 'package.json'].toSorted();
    const start = performance.now();
    const found = detectProjects(CATALOGUE, { files: all, texts });

    expect(['eslint', 'tsc', 'vitest'].map((id) => found.get(id)?.taken.length)).toEqual([2000, 2000, 2000]);
    expect(performance.now() - start).toBeLessThan(60_000);
    expect(findDetectionFiles(all)).toHaveLength(8000);
    expect(findDetectionFiles(all)[0]).toBe('package.json');
  });

  it('are not read from folders of installed packages', () => {
    const files = [
      'package.json',
      'node_modules/a/package.json',
      'a/tsconfig.app.json',
      'a/x.json',
      'a/vite.config.ts',
    ];

    expect(findDetectionFiles(files)).toEqual(['package.json', 'a/tsconfig.app.json', 'a/vite.config.ts']);
    expect(taken('vitest', { files: ['package.json'] })).toEqual([]);
    expect([toFolder('a/b.json'), toFolder('b.json'), toFolder('.')]).toEqual(['a', '.', '.']);
  });

  it('never fail for a manifest of any text', () => {
    const specs: readonly EngineSpec[] = CATALOGUE;
    for (const text of ['', '[]', '{"workspaces":{"packages":3}}', '{"jest":null}', '\u0000', 'null']) {
      const texts = {
        'package.json': text,
        'tsconfig.json': text,
        'Cargo.toml': text,
        'go.work': text,
        'a/package.json': text,
      };

      expect(() => detectProjects(specs, { files: Object.keys(texts), texts })).not.toThrow();
    }
  });
});
