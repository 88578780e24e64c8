import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toPackages } from './support/npm-tools.ts';
import { openWorkshop, type Workshop } from './support/ratchet-check.ts';

let workshop: Workshop;

beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

it('003.R16: real fixers mend what they can in the paths that were asked for, and nothing else', async () => {
  const packages = {
    eslint: 'eslint',
    oxlint: 'oxlint',
    stylelint: 'stylelint',
    '@biomejs/biome': '@biomejs/biome',
  };
  const bad = { 'a.js': 'var a = 1;\nif (!!a) {\n  a;\n}\n', 'a.css': 'a { color: #FFF; }\n' };
  const root = await workshop.layProject('fix', {
    files: {
      'eslint.config.js': 'module.exports = [{ rules: { "no-extra-boolean-cast": 2 } }];\n',
      '.oxlintrc.json': '{ "rules": { "no-var": "error", "prefer-const": "error" } }\n',
      '.stylelintrc.json': '{ "rules": { "color-hex-length": "long" } }\n',
      'biome.json': '{ "linter": { "enabled": false }, "css": { "formatter": { "enabled": false } } }\n',
      ...Object.fromEntries(
        Object.entries(bad).flatMap(([path, text]) => [
          [`src/${path}`, text],
          [`other/${path}`, text],
        ]),
      ),
    },
    packages: toPackages(packages),
  });
  const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

  const { report, stderr } = await workshop.check(root, ['--fix', 'src']);

  expect(report.engineErrors, stderr).toEqual([]);
  // ESLint drops the negations, oxlint takes `const`, Biome indents by tabs.
  expect(await read('src/a.js')).toBe('const a = 1;\nif (a) {\n\ta;\n}\n');
  expect(await read('src/a.css')).toBe('a { color: #FFFFFF; }\n');
  expect([await read('other/a.js'), await read('other/a.css')]).toEqual([bad['a.js'], bad['a.css']]);
});
