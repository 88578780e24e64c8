import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSuppressions } from '../../../src/core/findings/find-suppressions.ts';
import { SUPPRESSION_RULES } from '../../../src/core/findings/suppression-rules.ts';
import { toCpuMs } from '../../support/cpu-time.ts';
import { HARMLESS, SWITCHED_OFF } from './suppression-lines.ts';

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
      project: '.',
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

  it('takes the suppressions of a file that was renamed for none of the change, also in an edited line', () => {
    const patch = patchOf('old.py', ['-x = f()  # noqa', '-y']) + patchOf('new.py', ['+x = g()  # noqa', '+z  # noqa']);

    expect(findSuppressions(patch, new Map([['new.py', 'old.py']])).map(({ line }) => line)).toEqual([2]);
    expect(findSuppressions(patch)).toHaveLength(2);
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

  it('reads all of a line, shows two hundred characters of it, and tells at most a thousand, the worst ones', () => {
    expect(rulesOf('a.py', `${'x'.repeat(100_000)}# noqa`)).toEqual(['noqa medium']);

    const [long] = findSuppressions(patchOf('a.py', [`+# noqa ${'😀'.repeat(200)}`]));
    expect(long?.message).toBe(`newly switched off: # noqa ${'😀'.repeat(96)}\uFFFD`);

    expect(long?.identity).toBe(`#noqa${'😀'.repeat(200)}`);
    const [longer] = findSuppressions(patchOf('a.py', [`+# noqa ${'😀'.repeat(600)}`]));
    expect(longer?.identity).toBe(`#noqa${'😀'.repeat(497)}\uFFFD`);

    const many = Array.from({ length: 1_001 }, (_, index) => `+x${String(index)}  # noqa`);
    const told = findSuppressions(patchOf('a.py', many));
    expect(told).toHaveLength(1_000);
    expect(told.at(-1)?.line).toBe(1_000);

    const worst = findSuppressions(patchOf('a.py', many) + patchOf('b.py', ['+# flake8: noqa']));
    expect(worst).toHaveLength(1_000);
    expect(worst.at(-1)).toMatchObject({ path: 'b.py', severity: 'high', line: 1 });
  });

  it('is quick with lines that are made to be slow', () => {
    const parts = ['# ', '#type:', 'test.', '/*', 'it.a', 'x ', '/* eslint a', '# shellcheck a ', 'pytestmark ', '\t'];
    const cpuMs = toCpuMs(() => {
      for (const part of parts) {
        const line = part.repeat(10_000);
        for (const extension of ['py', 'ts', 'css', 'sh', 'go', 'rs']) rulesOf(`a.${extension}`, line);
      }
    });

    expect(cpuMs).toBeLessThan(50_000);
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
