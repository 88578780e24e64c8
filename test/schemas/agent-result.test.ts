import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AgentResult, parseAgentResult, toAgentResultSchemaText } from '../../src/schemas/agent-result.ts';

const RESULT = { schema_version: 1, run_id: 'run-1', task_id: 'task-1', status: 'success', summary: 'Done.' };
const ANSWER = { id: 'item-1', status: 'fixed', reason: 'Renamed it.' };

describe('the question of a result (004.R36)', () => {
  it('has choices, or none', () => {
    const question = { text: 'Which?', choices: ['a', 'b'] };
    expect(parseAgentResult({ ...RESULT, status: 'blocked', question })).toEqual({
      kind: 'ok',
      result: { ...RESULT, status: 'blocked', question },
      dropped: [],
    });
    // Each is one line that people can see, as on its button.
    const odd = { text: 'Which?', choices: [' yes\n2) no', '\u202Eon\u200B'] };
    expect(parseAgentResult({ ...RESULT, question: odd })).toMatchObject({
      result: { question: { choices: ['yes 2) no', 'on'] } },
    });
    expect(parseAgentResult({ ...RESULT, question: { text: 'Which?' } })).toMatchObject({
      result: { question: { text: 'Which?', choices: [] } },
    });
  });

  it.each([
    ['no text', { text: '' }, 'question.text: '],
    ['a long text', { text: 'x'.repeat(2001) }, 'question.text: '],
    ['too many choices', { text: 'W', choices: ['a', 'b', 'c', 'd'] }, 'question.choices: '],
    ['a choice too long for a button', { text: 'W', choices: ['x'.repeat(21)] }, 'question.choices.0: '],
    ['an empty choice', { text: 'W', choices: [' '] }, 'question.choices.0: '],
    ['a choice that nobody sees', { text: 'W', choices: ['a', '\u200B'] }, 'question.choices.1: '],
  ])('is refused with %s', (_what, question, where) => {
    const parsed = parseAgentResult({ ...RESULT, question });
    expect(parsed.kind === 'invalid' ? parsed.why : '').toContain(where);
  });
});

describe('the answers of a result', () => {
  it('may be missing', () => {
    expect(parseAgentResult(RESULT)).toEqual({ kind: 'ok', result: RESULT, dropped: [] });
  });

  it('are taken as far as they are known, a reason may be missing', () => {
    const answers = [
      { ...ANSWER, confidence: 1 },
      { id: 'item-2', status: 'needs_human' },
    ];

    expect(parseAgentResult({ ...RESULT, answers })).toEqual({
      kind: 'ok',
      result: { ...RESULT, answers: [ANSWER, { id: 'item-2', status: 'needs_human', reason: '' }] },
      dropped: ['answers.0.confidence'],
    });
  });

  it.each([
    ['no list', 'fixed', 'answers: '],
    ['an unknown status', [{ ...ANSWER, status: 'done' }], 'answers.0.status: '],
    ['no id', [{ status: 'fixed', reason: '' }], 'answers.0.id: '],
    ['a long id', [{ ...ANSWER, id: 'x'.repeat(65) }], 'answers.0.id: '],
    ['a long reason', [{ ...ANSWER, reason: 'x'.repeat(4097) }], 'answers.0.reason: '],
    ['too many', Array.from({ length: 101 }, () => ANSWER), 'answers: '],
  ])('T57: are refused with %s', (_what, answers, why) => {
    const parsed = parseAgentResult({ ...RESULT, answers });

    expect(parsed.kind === 'invalid' ? parsed.why : '').toContain(why);
  });
});

const WHOLE = {
  ...RESULT,
  changes: {
    files_changed: ['src/a.ts'],
    files_created: ['src/b.ts'],
    files_deleted: [],
    diff_stat: { insertions: 3, deletions: 1 },
  },
  actions: { commands_ran: ['npm test'], tests_ran: ['a > adds'] },
  validation: { validation_exit_code: 0, validation_summary: { passed: 3, failed: 0 } },
  notes: { systematic_issue: false, suggested_followups: ['rename it'] },
  artifacts: { prompt_ref: 'prompt.txt', stdout_ref: 'out.log', stderr_ref: 'err.log', patch_ref: 'patch.diff' },
};

describe('the fields of a result', () => {
  it('are those of the contract, all of them read (001.R37)', () => {
    expect(parseAgentResult(WHOLE)).toEqual({ kind: 'ok', result: WHOLE, dropped: [] });
  });

  it.each(['schema_version', 'run_id', 'task_id', 'status', 'summary'] as const)('need %s (S25)', (name) => {
    const parsed = parseAgentResult({ ...WHOLE, [name]: undefined });

    expect(parsed.kind === 'invalid' ? parsed.why : '').toContain(name);
  });

  it.each([
    ['changes', []],
    ['changes', null],
    ['changes', { files_changed: 'src/a.ts' }],
    ['changes', { files_created: [1] }],
    ['changes', { files_deleted: null }],
    ['changes', { diff_stat: 3 }],
    ['changes', { diff_stat: { insertions: '3' } }],
    ['changes', { diff_stat: { deletions: 1.5 } }],
    ['actions', 'npm test'],
    ['actions', { commands_ran: {} }],
    ['actions', { tests_ran: [null] }],
    ['validation', { validation_exit_code: '0' }],
    ['validation', { validation_exit_code: null }],
    ['validation', { validation_summary: [] }],
    ['validation', { validation_summary: 'green' }],
    ['notes', { systematic_issue: 'no' }],
    ['notes', { suggested_followups: 'none' }],
    ['artifacts', { prompt_ref: 1 }],
    ['artifacts', { patch_ref: null }],
    ['summary', null],
    ['status', true],
  ])('of a known name and another type reject the result: %s %j (001.R37, S25)', (name, value) => {
    const parsed = parseAgentResult({ ...WHOLE, [name]: value });

    expect(parsed.kind === 'invalid' ? parsed.why.split(/[.:]/u)[0] : '').toBe(name);
  });

  it('that are not known are dropped and named, as far as a log can take it (S25)', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, nth) => [`x${String(nth)}`.padEnd(300, 'y'), nth]));
    const parsed = parseAgentResult({ ...WHOLE, ...many, __proto__: 1, notes: { ...WHOLE.notes, mood: 'good' } });

    expect(parsed).toMatchObject({ kind: 'ok', result: WHOLE });
    const dropped = parsed.kind === 'ok' ? parsed.dropped : [];
    expect(dropped).toHaveLength(20);
    expect(Math.max(...dropped.map(({ length }) => length))).toBeLessThanOrEqual(64);
    expect(parseAgentResult({ ...WHOLE, notes: { mood: 'good' } })).toMatchObject({ dropped: ['notes.mood'] });
  });

  it('may nest as deep as they like where anything may stand', () => {
    const deep: unknown = JSON.parse(`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`);

    expect(parseAgentResult({ ...WHOLE, validation: { validation_summary: deep } })).toMatchObject({ kind: 'ok' });
  });

  it.each([null, 3, 'text', [], [WHOLE]])('are not in %j', (value) => {
    expect(parseAgentResult(value)).toMatchObject({ kind: 'invalid' });
  });
});

describe('the JSON Schema of a result', () => {
  it('is the published one (001.R37)', () => {
    const published = readFileSync(new URL('../../docs/agent-result.schema.json', import.meta.url), 'utf8');

    expect(JSON.parse(published), 'docs/agent-result.schema.json is stale: npm run docs').toEqual(
      JSON.parse(toAgentResultSchemaText()),
    );
  });

  it.each([
    ['a whole result', WHOLE, true],
    ['the least that is needed', RESULT, true],
    ['unknown fields', { ...RESULT, mood: 1 }, true],
    ['a field of the wrong type', { ...WHOLE, notes: { systematic_issue: 1 } }, false],
    ['a missing summary', { ...RESULT, summary: undefined }, false],
  ])('says of %s what Ratchet says', (_what, value, isFine) => {
    const isValid = new Ajv({ strict: false }).compile(
      z.record(z.string(), z.unknown()).parse(JSON.parse(toAgentResultSchemaText())),
    );

    expect([isValid(JSON.parse(JSON.stringify(value))), AgentResult.safeParse(value).success]).toEqual([
      isFine,
      isFine,
    ]);
  });
});
