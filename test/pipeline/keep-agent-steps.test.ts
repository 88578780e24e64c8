import { expect, it } from 'vitest';
import { parseSessionId, toPullRequestKey } from '../../src/core/model/ids.ts';
import type { ShownStep } from '../../src/core/model/shown-step.ts';
import { keepAgentSteps } from '../../src/pipeline/fixup/keep-steps.ts';
import { readSteps, toAgentPlace } from '../../src/pipeline/look/read-steps.ts';
import { tryParseShownSteps } from '../../src/schemas/structured-plan.ts';
import { memoryStore } from '../support/store.ts';

const key = toPullRequestKey(100, 7);
const id = parseSessionId('s1');
const END = { cause: null, durationMs: 5, costUsd: 0 };

/** As an agent could print them: types of actions without their parameters, ids twice, long and hostile texts. */
const PRINTED = [
  { step: { step_id: 'fix', action_type: 'modify_file' }, result: { ...END, state: 'completed' } },
  { step: { step_id: 'fix', action_type: 'create_file', params: { path: 7 } }, result: { ...END, state: 'failed' } },
  { step: { step_id: '__proto__', action_type: 'x'.repeat(100), depends_on: ['nowhere'] }, result: null },
  { step: { step_id: 1, action_type: 'run_command', description: '\u{1F600}'.repeat(4000) }, result: null },
];

it('keeps the steps that an agent told of beside those of its fixup, whatever they say (004.R31)', async () => {
  const store = memoryStore();
  const warnings: string[] = [];
  const log = { warn: (_fields: unknown, message: string) => void warnings.push(message) };
  const deps = { store, log, clock: { now: () => 1000 }, newId: () => 'a1' };
  const steps: readonly ShownStep[] = tryParseShownSteps(PRINTED) ?? [];
  await keepAgentSteps(deps, { id, key }, steps);

  const kept = readSteps({ store }, key, [id], toAgentPlace).get(id) ?? [];
  expect(kept.map(({ step }) => step.description.slice(0, 20))).toEqual([
    'fix modify_file',
    'fix create_file',
    '__proto__ xxxxxxxxxx',
    expect.stringMatching(/^1 run_command /u),
  ]);
  expect(kept[2]?.result).toBeNull();
  expect(store.planRuns(key, 5)).toMatchObject([{ status: 'completed' }]);
  expect(readSteps({ store }, key, [id]).size).toBe(0);
  expect(warnings).toEqual([]);
  store.close();
});
