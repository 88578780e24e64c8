import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSuppressions } from '../../../src/core/findings/find-suppressions.ts';
import { SUPPRESSION_RULES } from '../../../src/core/findings/suppression-rules.ts';

const digest: unknown = expect.stringMatching(/^[0-9a-f]{64}$/u);

/** A diff of one file: each line with its sign. */
function patchOf(path: string, lines: readonly string[]): string {
  const oldCount = lines.filter((line) => !line.startsWith('+')).length;
  const newCount = lines.filter((line) => !line.startsWith('-')).length;
  return `diff --git a/${path} b/${path}\n@@ -1,${String(oldCount)} +1,${String(newCount)} @@\n${lines.join('\n')}\n`;
}

/** Rules and severities that an added line is told for. */
function rulesOf(path: string, line: string): readonly string[] {
  return findSuppressions(patchOf(path, [`+${line}`])).map(
    ({ rule, severity }) => `${rule?.replace('new-suppression/', '') ?? ''} ${severity}`,
  );
}

/** Lines of each kind of file and what they are told for. */
const SWITCHED_OFF: readonly (readonly [path: string, told: string, lines: readonly string[]])[] = [
  ['a.py', 'noqa medium', ['x = 1  # noqa', 'import x #NOQA: F401', 'y  # why # noqa:E501', '#  noqa', "'x'# noqa"]],
  ['a.py', 'noqa-file high', ['# flake8: noqa', '# ruff: noqa: F401', '#flake8=NOQA', '# ruff : noqa']],
  [
    'a.py',
    'type-ignore medium',
    ['x = f()  # type: ignore', 'x # type:ignore[arg-type]', '    # type: ignore', 'x#type: ignore'],
  ],
  ['a.pyi', 'type-ignore-file high', ['# type: ignore', '# mypy: ignore-errors', '#mypy: disable-error-code="a"']],
  ['a.py', 'pyright-ignore medium', ['x  # pyright: ignore', 'x  # pyright: ignore[reportAny]', '#pyright:ignore']],
  ['a.py', 'pyright-file high', ['# pyright: basic', '#pyright: reportAny=false', '  # pyright: reportAny = None']],
  [
    'a.py',
    'pylint-disable medium',
    [
      'x  # pylint: disable=E1',
      '    # pylint: disable = all',
      '# pylint: disable-next=E1',
      'x#pylint:disable=E1',
      '# pylint: disable-line=E1',
      '# pylint: disable-next =E1',
    ],
  ],
  ['a.py', 'pylint-disable-file high', ['# pylint: disable=all', '# pylint: skip-file', '#pylint:disable =x']],
  [
    'a.py',
    'no-cover medium',
    ['if x:  # pragma: no cover', '#pragma:no cover', '# PRAGMA: NOCOVER', '# pragma: no branch'],
  ],
  [
    'test_a.py',
    'skipped-test medium',
    [
      '@pytest.mark.skip',
      '@pytest.mark.skipif(x, reason="y")',
      '@pytest.mark.xfail(strict=True)',
      'pytest.param(1, marks=pytest.mark.xfail)',
      '@unittest.skip("later")',
      '@unittest.skipIf(x, "y")',
      '@unittest.skipUnless(x, "y")',
      '@unittest.expectedFailure',
      '@expectedFailure',
      '@skip("x")',
      '    pytest.skip("x")',
      '    pytest.xfail ("x")',
      '    self.skipTest("x")',
    ],
  ],
  [
    'test_a.py',
    'skipped-file high',
    [
      'pytestmark = [mark.skip]',
      'pytestmark = mark.xfail',
      'pytestmark = mark.skipif(x)',
      '  x, allow_module_level = True)',
    ],
  ],
  [
    'a.ts',
    'eslint-disable medium',
    [
      'x; // eslint-disable-line',
      '// eslint-disable-next-line no-var -- x',
      '/* eslint-disable-next-line */',
      '{/*eslint-disable-line*/}',
      '//eslint-disable-line',
    ],
  ],
  ['a.vue', 'eslint-disable medium', ['<!-- eslint-disable-next-line -->']],
  [
    'a.tsx',
    'eslint-disable-file high',
    [
      '/* eslint-disable */',
      '/*eslint-disable no-var*/',
      '/* eslint no-var: 0 */',
      '/* eslint a/b-c: "off" */',
      "/* eslint no-var: ['off'] */",
      '/* eslint no-var: off */',
      '/* eslint no-var : [ "off" ] */',
      '<!-- eslint-disable -->',
    ],
  ],
  [
    'a.js',
    'oxlint-disable medium',
    ['// oxlint-disable-next-line no-var', 'x; // oxlint-disable-line', '/* oxlint-disable-line */'],
  ],
  ['a.mjs', 'oxlint-disable-file high', ['/* oxlint-disable */', '// oxlint-disable no-var', '//oxlint-disable']],
  [
    'a.ts',
    'ts-ignore medium',
    ['// @ts-ignore', '/* @ts-ignore */', '/// @ts-ignore', '/** @ts-ignore */', '//@ts-ignore why'],
  ],
  [
    'a.mts',
    'ts-expect-error medium',
    ['// @ts-expect-error why', '{/* @ts-expect-error */}', '/** @ts-expect-error */'],
  ],
  ['a.js', 'ts-nocheck high', ['// @ts-nocheck', '/* @ts-nocheck */', '/** @ts-nocheck */']],
  [
    'a.ts',
    'istanbul-ignore medium',
    ['/* istanbul ignore next */', '// istanbul ignore else', '/*istanbul  ignore  if*/'],
  ],
  ['a.ts', 'v8-ignore medium', ['/* v8 ignore next 3 */', '/* v8 ignore start */', '// v8 ignore next']],
  ['a.cjs', 'c8-ignore medium', ['/* c8 ignore next */', '// c8 ignore else', '//c8 ignore start']],
  ['a.ts', 'coverage-ignore-file high', ['/* istanbul ignore file */', '/* v8 ignore file */', '/* c8 ignore file */']],
  [
    'a.test.ts',
    'skipped-test medium',
    [
      "it.skip('x', () => {",
      "test.skip('x')",
      "describe.skip('x')",
      "test.concurrent.skip('x')",
      "describe.each(x).skip === it.todo('x')",
      "it.skipIf(true)('x')",
      "suite.runIf(false)('x')",
      "test.fixme('x')",
      "test.fails('x')",
      "it.failing('x')",
      'bench.skip("x")',
      "xit('x')",
      "  xdescribe ('x')",
      "xtest.each([1])('x')",
      'xit`x`',
    ],
  ],
  [
    'a.test.ts',
    'only high',
    [
      "it.only('x')",
      "test.concurrent.only('x')",
      "describe.only('x')",
      "suite.only('x')",
      "bench.only('x')",
      "fit('x', f)",
      '  fdescribe("x")',
      "fit.concurrent.fails('x')",
      'fit ( `x`)',
      'fit`x`',
      'fdescribe(`x`)',
    ],
  ],
  [
    'a.css',
    'stylelint-disable medium',
    ['a {} /* stylelint-disable-line */', '/* stylelint-disable-next-line x */', '// stylelint-disable-line'],
  ],
  ['a.scss', 'stylelint-disable-file high', ['/* stylelint-disable */', '// stylelint-disable x']],
  [
    'a.jsonc',
    'biome-ignore medium',
    ['// biome-ignore lint/a: why', '/* biome-ignore format: x */', '//biome-ignore lint: x'],
  ],
  ['a.graphql', 'biome-ignore medium', ['# biome-ignore lint: x']],
  ['a.html', 'biome-ignore medium', ['<!-- biome-ignore lint: x -->']],
  ['a.ts', 'biome-ignore-file high', ['// biome-ignore-all lint: x', '/* biome-ignore-start lint: x */']],
  [
    'a.sh',
    'shellcheck-disable medium',
    [
      '# shellcheck disable=SC1',
      '#shellcheck  disable=all',
      '# shellcheck shell=sh disable=SC1',
      '# shellcheck a=1 b=2 c=3 disable=x',
    ],
  ],
  ['bin/run', 'shellcheck-disable medium', ['# shellcheck disable=SC1']],
  ['a.go', 'nolint medium', ['x() //nolint', '//nolint:errcheck // why', '// nolint: all']],
  ['a_test.go', 'skipped-test medium', ['\tt.Skip("x")', 'b.Skipf("%d", 1)', 'f.SkipNow()', 't.Skip ()']],
  ['a.rs', 'allow medium', ['#[allow(dead_code)]', '#[ allow (x)]', '#[expect(unused)]']],
  ['a.rs', 'allow-file high', ['#![allow(dead_code)]', '#! [x] #![expect(x)]', '#![ allow (x)]']],
  ['a.rs', 'skipped-test medium', ['#[ignore]', '#[ignore = "slow"]', '#[ ignore ]']],
];

/** Lines that switch nothing off. */
const HARMLESS: readonly (readonly [path: string, lines: readonly string[]])[] = [
  [
    'a.py',
    [
      'noqa = 1',
      '# noqable',
      '# type: int',
      '# type: ignored',
      '# pyright: strict',
      '# pylint: enable=x',
      '# pragma: once',
      'skip(x)',
      'x.xfail',
      '@skipped',
      '# mypy: ignore-errorsx',
      '# pylint:disabled=x',
      'x = pytest.skipped(1)',
      'x  # mypy: ignore-errors',
      'x pytestmark skip',
      'pytestmark = mark.skipped',
      'allow_module_level = False',
      '# flake8: noqable',
      '# pyright: basics',
      '# pyright: reportAny=true',
      'x  # pyright: basic',
      '# pragma: no covers',
      'self.skipTests()',
      'pytest.mark.skipper',
    ],
  ],
  [
    'a.ts',
    [
      'eslint-disable',
      '// eslint-enable',
      '// eslint-disable',
      '/* eslint no-var: 2 */',
      '/* eslint-disable-foo */',
      '// @ts-check',
      'edit.only',
      'await.skip()',
      'model.fit("x")',
      'fit(x)',
      'exit("x")',
      'it("skip only")',
      'x.only()',
      'it.skipped()',
      'test.a.b.c.d.only()',
      '// v8 ignored',
      '/* c8 ignore stop */',
      '// istanbul ignore',
      '// biome-ignored',
      '// biome-ignore-end',
      'x xit("a")',
      'visit.only()',
      '// oxlint-disable-foo',
      '/* eslint no-var: on */',
      '/* stylelint-enable */',
      '// noqa',
      '// @ts-ignored',
      '// v8 ignore',
      '// eslint-disable-lines',
      '// oxlint-disable-lines',
      '// @ts-nochecked',
      '// @ts-expect-errors',
      'it.onlyx()',
      '// stylelint-disable-lines',
      '// istanbul ignore ',
    ],
  ],
  ['a.css', ['/* stylelint-enable */', '// eslint-disable-line', '// stylelint-disabled']],
  ['a.sh', ['# shellcheck source=x', '# shellcheck a b c d disable=x', '# noqa', '# shellchecks disable=x']],
  ['a.go', ['// nolinter', 'test.Skip()', 't.Skipper()', '/ nolint']],
  ['a.rs', ['#[warn(x)]', '#[ignored]', '#[allowed(x)]', '# [allow(x)]']],
  ['README.md', ['# noqa', '// eslint-disable-line', '#[allow(x)]', '# shellcheck disable=x']],
  ['a.rb', ["it.skip('x')", '# noqa']],
];

describe('findSuppressions', () => {
  it.each(SWITCHED_OFF)('finds in %s: %s', (path, told, lines) => {
    for (const line of lines) expect(rulesOf(path, line), line).toEqual([told]);
  });

  it.each(SWITCHED_OFF.filter(([, told]) => !told.startsWith('no-cover')))(
    'finds in %s with twice the white space: %s',
    (path, told, lines) => {
      for (const line of lines) expect(rulesOf(path, line.replaceAll(' ', '  ')), line).toEqual([told]);
    },
  );

  it.each(HARMLESS)('finds nothing in %s that switches nothing off', (path, lines) => {
    for (const line of lines) expect(rulesOf(path, line), line).toEqual([]);
  });

  it('has a line for each of its rules', () => {
    const told = new Set(SWITCHED_OFF.flatMap(([path, text]) => `${text} ${path.split('.').at(-1) ?? ''}`));

    for (const { name, severity, extensions } of SUPPRESSION_RULES) {
      const expected = [...extensions].map((extension) => `${name} ${severity} ${extension}`);
      expect(
        expected.some((one) => told.has(one)),
        name,
      ).toBe(true);
    }
  });

  it.each([
    ['x.pyw', '# noqa'],
    ['x.pyx', '# noqa'],
    ['x.ipynb', '"x = 1  # noqa"'],
    ['x.PY', '# noqa'],
    ['x.jsx', '// @ts-ignore'],
    ['x.cts', '// @ts-ignore'],
    ['x.svelte', '// @ts-ignore'],
    ['x.astro', '// @ts-ignore'],
    ['x.sass', '// stylelint-disable x'],
    ['x.less', '// stylelint-disable x'],
    ['x.pcss', '// stylelint-disable x'],
    ['x.html', '/* stylelint-disable */'],
    ['x.vue', '/* stylelint-disable */'],
    ['x.css', '/* biome-ignore x: y */'],
    ['x.json', '// biome-ignore x: y'],
    ['x.gql', '# biome-ignore x: y'],
    ['x.grit', '// biome-ignore x: y'],
    ['x.bash', '# shellcheck disable=x'],
    ['x.ksh', '# shellcheck disable=x'],
    ['x.dash', '# shellcheck disable=x'],
    ['x.zsh', '# shellcheck disable=x'],
    ['x.bats', '# shellcheck disable=x'],
    ['a.b/x', '# shellcheck disable=x'],
  ])('looks into %s', (path, line) => {
    expect(rulesOf(path, line)).toHaveLength(1);
  });

  it('tells a suppression as a finding of its own, with its place and what it says', () => {
    const [finding, ...others] = findSuppressions(patchOf('src/a.py', [' a', '+b', '+x = 1  # noqa: E501 ', ' c']));

    expect(others).toEqual([]);
    expect(finding).toEqual({
      tool: 'ratchet',
      kind: 'suppression',
      rule: 'new-suppression/noqa',
      severity: 'medium',
      native: null,
      message: 'newly switched off: # noqa: E501',
      path: 'src/a.py',
      line: 3,
      column: 8,
      endLine: null,
      testId: null,
      identity: 'x=1#noqa:E501',
      fingerprint: digest,
      likeness: digest,
    });
  });

  it('finds it again by its line, and tells two of one line apart', () => {
    const at = (line: string): readonly string[] =>
      findSuppressions(patchOf('a.py', [line])).map(({ fingerprint }) => fingerprint);
    const both = findSuppressions(patchOf('a.py', ['+f()  # type: ignore  # noqa']));

    expect(at('+f() # noqa')).not.toEqual(at('+g() # noqa'));
    expect(at('+f() # noqa')).toEqual(at('+f()  # noqa'));
    expect(both.map(({ rule }) => rule)).toEqual(['new-suppression/type-ignore', 'new-suppression/noqa']);
  });

  it('leaves alone what was there before: removed lines, and lines around the change', () => {
    expect(findSuppressions(patchOf('a.py', [' x  # noqa', '-y  # noqa', '+y']))).toEqual([]);
  });

  it('takes a line that was moved, in its file or to another one, for none of the change', () => {
    const moved = '    x = f()  # noqa';

    expect(findSuppressions(patchOf('a.py', [`-${moved}`, ' y', `+${moved.trim()}`]))).toEqual([]);
    expect(findSuppressions(patchOf('a.py', [`-${moved}`]) + patchOf('b.py', [`+${moved}`]))).toEqual([]);
    expect(findSuppressions(patchOf('b.py', [`+${moved}`]) + patchOf('a.py', [`-${moved}`]))).toEqual([]);
  });

  it('takes the edited line of a suppression for none of the change, but for another suppression', () => {
    expect(findSuppressions(patchOf('a.py', ['-x = f()  # noqa: E501', '+x = g()  # noqa:  E501']))).toEqual([]);
    expect(findSuppressions(patchOf('a.py', ['-x = f()  # noqa: E501', '+x = f()  # noqa']))).toHaveLength(1);
    expect(
      findSuppressions(patchOf('a.py', ['-x = f()  # noqa']) + patchOf('b.py', ['+x = g()  # noqa'])),
    ).toHaveLength(1);
  });

  it('lets each removed suppression excuse one added one, the surest first', () => {
    const patch = patchOf('a.py', ['-x  # noqa', '+z  # noqa', '+y  # noqa', '+x  # noqa']);
    const across = patchOf('a.py', ['-x  # noqa']) + patchOf('b.py', ['+x  # noqa']) + patchOf('c.py', ['+x  # noqa']);
    const own = patchOf('b.py', ['+x  # noqa']) + patchOf('a.py', ['-x  # noqa', '+x  # noqa']);

    expect(findSuppressions(patch).map(({ line }) => line)).toEqual([1, 2]);
    expect(findSuppressions(across).map(({ path }) => path)).toEqual(['c.py']);
    expect(findSuppressions(own).map(({ path }) => path)).toEqual(['b.py']);
    expect(findSuppressions(patchOf('a.py', ['-x  # noqa', '-x  # noqa', '+x  # noqa', '+q  # noqa']))).toEqual([]);
  });

  it('excuses no suppression by one of another kind', () => {
    const patch = patchOf('a.test.ts', ["-it.skip('x')", "+it.only('x')", "-it.todo('y')", "+xit('y')"]);

    expect(findSuppressions(patch).map(({ rule }) => rule)).toEqual([
      'new-suppression/only',
      'new-suppression/skipped-test',
    ]);
  });

  it('reads names that git quotes', () => {
    expect(findSuppressions(patchOf('x', ['+# noqa']).replace('a/x b/x', '"a/\\t.py" "b/\\t.py"'))).toMatchObject([
      { path: '\t.py' },
    ]);
  });

  it('reads the first ten thousand characters of a line, shows two hundred, and tells at most a thousand', () => {
    const at = (length: number): unknown => rulesOf('a.py', `${'x'.repeat(length)}# noqa`);
    expect([at(9_994), at(9_995)]).toEqual([['noqa medium'], []]);

    const [long] = findSuppressions(patchOf('a.py', [`+# noqa ${'😀'.repeat(200)}`]));
    expect(long?.message).toBe(`newly switched off: # noqa ${'😀'.repeat(96)}\uFFFD`);

    expect(long?.identity).toBe(`#noqa${'😀'.repeat(200)}`);
    const [longer] = findSuppressions(patchOf('a.py', [`+# noqa ${'😀'.repeat(600)}`]));
    expect(longer?.identity).toBe(`#noqa${'😀'.repeat(497)}\uFFFD`);

    const many = Array.from({ length: 1_001 }, (_, index) => `+x${String(index)}  # noqa`);
    const told = findSuppressions(patchOf('a.py', many));
    expect(told).toHaveLength(1_000);
    expect(told.at(-1)?.line).toBe(1_000);
  });

  it('is quick with lines that are made to be slow', () => {
    const parts = ['# ', '#type:', 'test.', '/*', 'it.a', 'x ', '/* eslint a', '# shellcheck a ', 'pytestmark ', '\t'];
    const startedAt = performance.now();
    for (const part of parts) {
      const line = part.repeat(10_000);
      for (const extension of ['py', 'ts', 'css', 'sh', 'go', 'rs']) rulesOf(`a.${extension}`, line);
    }

    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('never throws', () => {
    const unit = fc.constantFrom('diff --git a/a.py b/a.py\n', '@@ -1,3 +1,3 @@\n', '+', '-', ' ', '# noqa', '\n', '"');

    fc.assert(
      fc.property(fc.string({ unit }), (patch) => {
        expect(findSuppressions(patch).every(({ line }) => line !== null)).toBe(true);
      }),
    );
  });
});
