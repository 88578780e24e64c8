import { describe, expect, it } from 'vitest';
import { FAILURE_CLASSES } from '../../../src/core/model/failure-class.ts';
import { ACTION_TYPES, CONDITION_STATES, DEFAULT_BUDGET_USD } from '../../../src/core/model/structured-plan.ts';
import { ARTIFACT_KINDS } from '../../../src/core/model/task-record.ts';

/** Names that leave the program: in stored rows, in plan files and in what commands print. */
describe('the names of', () => {
  it('failure classes stay as they are stored', () => {
    expect(FAILURE_CLASSES).toEqual(['infrastructure', 'flake', 'code', 'person', 'unknown']);
  });

  it('kinds of artifacts stay as they are stored, a picture with one of its own (S33)', () => {
    expect(ARTIFACT_KINDS).toEqual(['report', 'log', 'diff', 'prompt', 'stdout', 'stderr', 'json', 'image']);
  });

  it('actions and conditions of plans stay as plan files have them, and so does the default budget', () => {
    expect(ACTION_TYPES).toEqual([
      ...['create_file', 'modify_file', 'delete_file', 'run_command', 'read_file', 'get_user_input', 'browser_act'],
    ]);
    expect(CONDITION_STATES).toEqual(['completed', 'failed', 'ended']);
    expect(DEFAULT_BUDGET_USD).toBe(0.1);
  });
});
