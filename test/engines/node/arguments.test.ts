import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { biome } from '../../../src/engines/node/biome.ts';
import { eslint } from '../../../src/engines/node/eslint.ts';
import { jest } from '../../../src/engines/node/jest.ts';
import { NODE_ENGINES } from '../../../src/engines/node/node-engines.ts';
import { oxlint } from '../../../src/engines/node/oxlint.ts';
import { basedpyright, pyright } from '../../../src/engines/node/pyright.ts';
import { stylelint } from '../../../src/engines/node/stylelint.ts';
import { tsc } from '../../../src/engines/node/tsc.ts';
import { vitest } from '../../../src/engines/node/vitest.ts';
import { vitestCoverage } from '../../../src/engines/node/vitest-coverage.ts';
import { ARTIFACTS, argumentsOf } from './support.ts';

const CONFIG_FLAGS = [
  [basedpyright, '--project'],
  [biome, '--config-path'],
  [eslint, '--config'],
  [jest, '--config'],
  [oxlint, '--config'],
  [pyright, '--project'],
  [stylelint, '--config'],
  [tsc, '--project'],
  [vitest, '--config'],
  [vitestCoverage, '--config'],
] as const;
const OF_PATHS = [biome, eslint, oxlint, stylelint];

describe('arguments of the tools of npm', () => {
  it.each(CONFIG_FLAGS)('gives the chosen configuration file to $id by its own flag', (spec, flag) => {
    const args = argumentsOf(spec, { configPath: 'config/of-it', cwd: 'packages/a' });

    expect(args[args.indexOf(flag) + 1]).toBe('/repo/config/of-it');
    expect(args.filter((argument) => argument === flag)).toHaveLength(1);
    expect(argumentsOf(spec)).not.toContain('/repo/config/of-it');
  });

  it.each(NODE_ENGINES)('hands the arguments of the plan to $id in their order', (spec) => {
    const args = argumentsOf(spec, { args: ['--second', '--first', '--second'] });
    const start = args.indexOf('--second');

    expect(args.slice(start, start + 3)).toEqual(['--second', '--first', '--second']);
  });

  it.each(NODE_ENGINES.filter(({ targetMode }) => targetMode === 'project'))(
    'gives no target to $id, which looks at the whole project',
    (spec) => {
      expect(argumentsOf(spec, { targets: ['src/only.ts'] })).toEqual(argumentsOf(spec));
    },
  );

  it.each(OF_PATHS)('gives the targets to $id last, and as seen from the folder that it runs in', (spec) => {
    const files = ['packages/a/src/a.css', '--fix'];
    const args = argumentsOf(spec, { targets: ['packages/a/src/a.css', 'web'], cwd: 'packages/a' }, { files });
    const folder = spec === stylelint ? '../../web/**/*.{css,scss,sass,less,pcss,postcss,sss}' : '../../web';

    expect(args.slice(-2)).toEqual(['src/a.css', folder]);
  });

  it.each(OF_PATHS)('never lets the name of a file be a flag of $id', (spec) => {
    expect(argumentsOf(spec, { targets: ['--fix'] }, { files: ['--fix'] }).at(-1)).toBe('./--fix');
  });

  it('lets stylelint look for style sheets in the folder that it runs in', () => {
    expect(argumentsOf(stylelint).at(-1)).toBe('**/*.{css,scss,sass,less,pcss,postcss,sss}');
  });

  it.each([
    ['app/[id]', String.raw`./app/\[id\]/**/*`],
    ['app/(group)/{a}', String.raw`./app/\(group\)/\{a\}/**/*`],
    ['--fix', './--fix/**/*'],
    ['@scope', './@scope/**/*'],
  ])('lets no name of a folder be a pattern or a flag of stylelint: %s', (target, start) => {
    const pattern = argumentsOf(stylelint, { targets: [target] }).at(-1);

    expect(pattern).toBe(`${start}.{css,scss,sass,less,pcss,postcss,sss}`);
  });

  it.each([pyright, basedpyright])(
    'tells $id of the interpreter of the project, where nobody names another one',
    (spec) => {
      const python = '/repo/.venv/bin/python';
      const ofOwn = ['--pythonpath', '/usr/bin/python3'];

      expect(argumentsOf(spec, {}, { python })).toEqual(['--outputjson', '--pythonpath', python]);
      expect(argumentsOf(spec, {}, { python: null })).toEqual(['--outputjson']);
      expect(argumentsOf(spec)).toEqual(['--outputjson']);
      expect(argumentsOf(spec, { args: ofOwn }, { python })).toEqual(['--outputjson', ...ofOwn]);
      expect(argumentsOf(spec, { args: ['--pythonpath=x'] }, { python })).toEqual(['--outputjson', '--pythonpath=x']);
    },
  );

  it('leaves out of ESLint 8 what it does not know', () => {
    expect(argumentsOf(eslint, {}, { version: '8.57.1' })).not.toContain('--no-warn-ignored');
    expect(argumentsOf(eslint, {}, { version: '9.0.0' })).toContain('--no-warn-ignored');
    expect(argumentsOf(eslint)).toContain('--no-warn-ignored');
  });

  it('lets the compiler look at the project of the folder where no configuration is chosen', () => {
    const args = argumentsOf(tsc);

    expect(args.slice(args.indexOf('--project'))).toEqual(['--project', '.']);
  });

  it.each(NODE_ENGINES)('lets $id write below its artifacts alone', (spec) => {
    const written = argumentsOf(spec).filter((argument) =>
      /(?:output-?file|cacheDirectory|reportsDirectory)=/iu.test(argument),
    );

    expect(written.every((argument) => argument.split('=')[1]?.startsWith(ARTIFACTS))).toBe(true);
  });

  it('makes the same arguments of the same plan', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...NODE_ENGINES),
        fc.array(fc.string()),
        fc.array(fc.string()),
        (spec, targets, args) => {
          expect(argumentsOf(spec, { targets, args })).toEqual(argumentsOf(spec, { targets, args }));
        },
      ),
      { numRuns: 50 },
    );
  });
});
