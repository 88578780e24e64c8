import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPlan, isSamePlan, type PlanInputs, toPlanHash } from '../../../src/core/engines/plan-hash.ts';

const INPUTS: PlanInputs = {
  engine: 'ruff',
  project: '.',
  targets: ['lib', 'src'],
  configPath: 'ruff.toml',
  args: ['--select', 'E'],
  enabled: true,
  profile: 'strict',
  env: { A: '1', B: '2' },
  cwd: '.',
  excludes: [],
};

describe('toPlanHash', () => {
  it.each<[string, Partial<PlanInputs>]>([
    ['the engine', { engine: 'flake8', project: '.' }],
    ['the project', { project: 'packages/a' }],
    ['a project below that is left out', { excludes: ['lib/inner'] }],
    ['a target less', { targets: ['src'] }],
    ['another target', { targets: ['lib', 'srcs'] }],
    ['targets that read alike when joined', { targets: ['lib,src'] }],
    ['another configuration file', { configPath: 'other.toml' }],
    ['no configuration file', { configPath: null }],
    ['an argument more', { args: ['--select', 'E', '-v'] }],
    ['the order of the arguments', { args: ['E', '--select'] }],
    ['arguments that read alike when joined', { args: ['--select E'] }],
    ['being switched off', { enabled: false }],
    ['another profile', { profile: 'loose' }],
    ['no profile', { profile: null }],
    ['the value of a variable', { env: { A: '1', B: '3' } }],
    ['the name of a variable', { env: { A: '1', C: '2' } }],
    ['values that changed places', { env: { A: '2', B: '1' } }],
    ['no variables', { env: {} }],
    ['the folder', { cwd: 'src' }],
  ])('changes with %s (000.R9, R10)', (_what, change) => {
    expect(toPlanHash({ ...INPUTS, ...change })).not.toBe(toPlanHash(INPUTS));
  });

  it('never takes "none" for a name (000.R10, R22)', () => {
    expect(toPlanHash({ ...INPUTS, configPath: null })).not.toBe(toPlanHash({ ...INPUTS, configPath: 'null' }));
    expect(toPlanHash({ ...INPUTS, profile: null })).not.toBe(toPlanHash({ ...INPUTS, profile: '' }));
  });

  it('does not see the order of variables, which no process sees (000.R10)', () => {
    expect(toPlanHash({ ...INPUTS, env: { B: '2', A: '1' } })).toBe(toPlanHash(INPUTS));
  });

  it('gives the digits under which earlier runs are stored', () => {
    expect(toPlanHash(INPUTS)).toBe('5b48653bb37a65bc8aba81e447d09511eb8b55761db3897e6e7067bccb1977b1');
  });

  it('is for the root what it was before there were projects, so that stored runs stay comparable', () => {
    expect(toPlanHash(INPUTS)).toBe('5b48653bb37a65bc8aba81e447d09511eb8b55761db3897e6e7067bccb1977b1');
  });

  it('is equal for equal inputs only (000.R10)', () => {
    const text = fc.constantFrom('', 'a', 'b', 'a,b', '.');
    const texts = fc.array(text, { maxLength: 2 });
    const inputs = fc.record({
      engine: text,
      project: text,
      targets: texts,
      configPath: fc.option(text),
      args: texts,
      enabled: fc.boolean(),
      profile: fc.option(text),
      env: fc.dictionary(fc.constantFrom('A', 'B'), text),
      cwd: text,
      excludes: texts,
    });
    fc.assert(
      fc.property(inputs, inputs, (left, right) => {
        const isEqual = toSorted(left) === toSorted(right);

        expect(toPlanHash(left) === toPlanHash(right)).toBe(isEqual);
      }),
      { numRuns: 300 },
    );
  });
});

function toSorted({ env, ...rest }: PlanInputs): string {
  return JSON.stringify([Object.entries(rest).toSorted(), Object.entries(env).toSorted()]);
}

describe('createPlan', () => {
  it('holds the inputs, the mode, and the hash of the inputs without the mode (000.R9, R10)', () => {
    const scopeHash = toPlanHash({ ...INPUTS, targets: ['.'] });

    expect(createPlan('current', INPUTS, ['.'])).toEqual({
      ...INPUTS,
      mode: 'current',
      hash: toPlanHash(INPUTS),
      scopeHash,
      usesToolScope: false,
    });
  });

  it('takes nothing that a plan does not have', () => {
    const more = { ...INPUTS, note: 'x' };

    expect(createPlan('target', more, ['.'])).not.toHaveProperty('note');
  });
});

describe('isSamePlan', () => {
  it('does not see the mode (000.R10, R44)', () => {
    expect(isSamePlan(createPlan('current', INPUTS, ['lib']), createPlan('target', INPUTS, ['.']))).toBe(true);
  });

  it.each([
    ['targets', { targets: ['lib'] }],
    ['arguments', { args: ['-v'] }],
    ['variables', { env: { A: '9' } }],
    ['configuration file', { configPath: 'other.toml' }],
    ['folder', { cwd: 'src' }],
    ['profile', { profile: 'loose' }],
  ])('tells plans of other %s apart (000.R44)', (_what, change) => {
    const other = createPlan('current', { ...INPUTS, ...change }, ['.']);

    expect(isSamePlan(other, createPlan('target', INPUTS, ['.']))).toBe(false);
  });

  it('never takes a plan that is switched off for one that is not (000.R10)', () => {
    const off = createPlan('current', { ...INPUTS, enabled: false }, ['.']);

    expect(isSamePlan(off, createPlan('target', INPUTS, ['.']))).toBe(false);
  });
});
