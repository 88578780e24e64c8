import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENGINE_KINDS, type EngineSpec } from '../../../src/core/model/engine.ts';
import { detectEngines, listDetectable } from '../../../src/core/projects/detect-engines.ts';
import type { RepositoryFacts } from '../../../src/core/projects/repository-facts.ts';
import { aSpec } from '../../support/plan-builders.ts';

const SPECS: readonly EngineSpec[] = [
  aSpec({ id: 'tsc', detection: { files: ['**/tsconfig.json'] } }),
  aSpec({ id: 'eslint', detection: { nodePackage: 'eslint', files: ['eslint.config.*'] } }),
  aSpec({ id: 'mypy', detection: { pythonSection: ['[tool.mypy', '[mypy'], files: ['mypy.ini'] } }),
  aSpec({ id: 'coverage', kind: 'coverage', detection: { files: ['**'], nodePackage: 'eslint' } }),
  aSpec({ id: 'black', kind: 'format', detection: { files: ['**'], pythonSection: ['[tool.mypy'] } }),
  aSpec({ id: 'never' }),
];

function detect(facts: Partial<RepositoryFacts>): readonly string[] {
  const { files = [], texts = {} } = facts;
  return detectEngines(SPECS, { files: [...files, ...Object.keys(texts)], texts });
}

describe('detectEngines', () => {
  it.each<[string, Partial<RepositoryFacts>, readonly string[]]>([
    ['nothing', {}, []],
    ['a file below', { files: ['web/tsconfig.json'] }, ['tsc']],
    ['a file that is called alike', { files: ['tsconfig.json5', 'web/my-eslint.config.js'] }, []],
    ['a configuration below', { files: ['web/eslint.config.js'] }, ['eslint']],
    ['several files', { files: ['tsconfig.json', 'mypy.ini', 'eslint.config.ts'] }, ['eslint', 'mypy', 'tsc']],
    ['a dependency', { texts: { 'package.json': '{"dependencies":{"eslint":"9"}}' } }, ['eslint']],
    ['a development dependency', { texts: { 'package.json': '{"devDependencies":{"eslint":"9"}}' } }, ['eslint']],
    ['an optional dependency', { texts: { 'package.json': '{"optionalDependencies":{"eslint":"9"}}' } }, ['eslint']],
    ['a peer dependency', { texts: { 'package.json': '{"peerDependencies":{"eslint":"9"}}' } }, ['eslint']],
    ['another dependency', { texts: { 'package.json': '{"dependencies":{"eslint-plugin":"9"}}' } }, []],
    ['a script of that name', { texts: { 'package.json': '{"scripts":{"eslint":"9"}}' } }, []],
    ['a list of dependencies', { texts: { 'package.json': '{"dependencies":["eslint"]}' } }, []],
    ['a package.json below', { texts: { 'web/package.json': '{"dependencies":{"eslint":"9"}}' } }, ['eslint']],
    ['a section', { texts: { 'pyproject.toml': '[project]\n[tool.mypy]\n' } }, ['mypy']],
    ['a section of a section', { texts: { 'pyproject.toml': '[[tool.x]]\r\n[tool.mypy.x]\r\n' } }, ['mypy']],
    ['a section in another file', { texts: { 'setup.cfg': '[mypy]' } }, ['mypy']],
    ['a section in a third file', { texts: { 'tox.ini': '[tox]\n[mypy-x]' } }, ['mypy']],
    ['a section in the middle of a line', { texts: { 'pyproject.toml': 'x = "[tool.mypy]"' } }, []],
    ['a section in a file that is none of these', { texts: { 'x.toml': '[tool.mypy]' } }, []],
  ])('from %s finds what belongs to it', (_what, facts, expected) => {
    expect(detect(facts)).toEqual(expected);
  });

  it.each(['', '{', 'null', '[]', '3', '"eslint"', '{"dependencies":null}', '{"dependencies":"eslint"}'])(
    'takes the package.json %j for one that shows nothing',
    (text) => {
      expect(detect({ texts: { 'package.json': text, 'pyproject.toml': null } })).toEqual([]);
    },
  );

  it('leaves engines for coverage and format to be asked for by name', () => {
    const texts = { 'package.json': '{"dependencies":{"eslint":"9"}}', 'pyproject.toml': '[tool.mypy]' };

    expect(detect({ files: ['a.py'], texts })).toEqual(['eslint', 'mypy']);
  });

  it('detects engines of all other kinds', () => {
    const specs = ENGINE_KINDS.map((kind) => aSpec({ id: kind, kind, detection: { files: ['**'] } }));

    expect(detectEngines(specs, { files: ['a.py'], texts: {} })).toEqual(['lint', 'test', 'type']);
  });

  it('lists the engines that it looks for, sorted, with those of which the repository shows no sign', () => {
    expect(listDetectable(SPECS)).toEqual(['eslint', 'mypy', 'never', 'tsc']);
  });

  it('does not take what every object has for a dependency', () => {
    const spec = aSpec({ detection: { nodePackage: 'constructor' } });

    expect(detectEngines([spec], { files: [], texts: { 'package.json': '{"dependencies":{}}' } })).toEqual([]);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('package.json', 'pyproject.toml', 'setup.cfg', 'tox.ini', 'Cargo.toml', 'a/package.json'),
          fc.oneof(fc.string(), fc.json()),
        ),
        (texts) => {
          expect(detect({ texts })).not.toContain('never');
        },
      ),
    );
  });
});
