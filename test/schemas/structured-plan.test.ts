import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/schemas/invalid-input.ts';
import { parseStructuredPlan, tryParsePlan, tryParseShownSteps } from '../../src/schemas/structured-plan.ts';

const STEP = { step_id: 1, action_type: 'read_file', params: { path: 'a' } };

describe('a plan in JSON', () => {
  it('is its steps with their dependencies, and a budget (004.R5)', () => {
    const plan = parseStructuredPlan({ steps: [STEP, { ...STEP, step_id: 'b', depends_on: [1] }] });
    expect(plan.steps.map(({ step_id, depends_on }) => [step_id, depends_on])).toEqual([
      [1, []],
      ['b', [1]],
    ]);
    expect(Object.keys(plan)).toEqual(['steps', 'budget_usd']);
    expect(plan.budget_usd).toBe(0.1);
  });

  it('has a default for everything but id, action type and parameters (004.R4)', () => {
    expect(parseStructuredPlan({ steps: [STEP] }).steps[0]).toEqual({
      ...STEP,
      ...{ description: '', depends_on: [], rollback_on_fail: false, max_retries: 2, timeout_seconds: 300 },
      ...{ when: null, estimate_usd: null },
    });
  });

  it.each([
    ['no steps', {}, 'steps'],
    ['a step without an id', { steps: [{ action_type: 'read_file', params: { path: 'a' } }] }, 'step_id'],
    ['a key that is not known', { steps: [{ ...STEP, dependsOn: [] }] }, 'dependsOn'],
    ['an unknown parameter', { steps: [{ ...STEP, params: { path: 'a', mode: '777' } }] }, 'mode'],
    ['a parameter of the wrong type', { steps: [{ ...STEP, params: { path: 7 } }] }, 'path'],
    ['a budget below nothing', { steps: [STEP], budget_usd: -1 }, 'budget_usd'],
    ['no time', { steps: [{ ...STEP, timeout_seconds: 0 }] }, 'timeout_seconds'],
    ['no object', [], 'object'],
  ])('with %s is refused with what and where', (_what, json, where) => {
    expect(() => parseStructuredPlan(json)).toThrow(InvalidInputError);
    const tried = tryParsePlan(json);
    expect(tried.kind === 'invalid' ? tried.problems.join('\n') : '').toContain(where);
  });
});

describe('the modules around plans', () => {
  it('carry out what was parsed and checked elsewhere: the executor reads no text (004.R1)', () => {
    const executing = [...globSync('src/pipeline/execution/**/*.ts'), ...globSync('src/core/execution/*.ts')];
    expect(executing.length).toBeGreaterThan(20);
    for (const file of executing) {
      const source = readFileSync(file, 'utf8');
      expect([file, /from '[^']*\/(?:schemas|cli|config)\//u.test(source), source.includes('JSON.parse')]).toEqual([
        ...[file, false, false],
      ]);
    }
  });

  it('are described with their boundaries in src/README.md (004.R28)', () => {
    const readme = readFileSync('src/README.md', 'utf8');
    const section = /### A run of a plan\n(?<text>.*?)\n### /su.exec(readme)?.groups?.['text'] ?? '';
    const named = Array.from(
      section.matchAll(/`(?<path>(?:core|pipeline)\/execution\/[\w-]+\.ts)`/gu),
      (match) => match[1],
    );
    for (const module of ['execute-plan', 'run-step', 'rollback-manager', 'budget-guard', 'plan-journal']) {
      expect(named).toContain(`pipeline/execution/${module}.ts`);
    }
    for (const path of named) expect([path, existsSync(`src/${String(path)}`)]).toEqual([path, true]);
    expect(section).toMatch(/`core\/execution` decides/u);
    expect(section).toMatch(/`ExecutionToolRegistry`/u);
  });
});

describe('tryParseShownSteps', () => {
  const step = { step_id: 1, action_type: 'read_file' };
  const result = { state: 'completed', cause: null, durationMs: 5, costUsd: 0 };

  it('reads steps with how they ended', () => {
    expect(tryParseShownSteps([{ step, result }])).toMatchObject([{ step: { depends_on: [], when: null }, result }]);
    expect(tryParseShownSteps([{ step, result: null }])).toMatchObject([{ step, result: null }]);
  });

  it.each([
    ['no list', { step }],
    ['nothing', undefined],
    ['a state that does not exist', [{ step, result: { ...result, state: 'green' } }]],
    ['a cost below nothing', [{ step, result: { ...result, costUsd: -1 } }]],
    ['too many', Array.from({ length: 101 }, () => ({ step, result }))],
  ])('takes %s for no steps', (_what, json) => {
    expect(tryParseShownSteps(json)).toBeNull();
  });
});
