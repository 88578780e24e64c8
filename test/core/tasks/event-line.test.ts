import { describe, expect, it } from 'vitest';
import { parseRunId } from '../../../src/core/model/ids.ts';
import type { RunEvent } from '../../../src/core/model/task-record.ts';
import { readEventSeq, toEventLine } from '../../../src/core/tasks/event-line.ts';

const EVENT: RunEvent = {
  ...{ seq: 7, at: Date.UTC(2026, 0, 2), runId: parseRunId('run-1'), level: 'info', type: 'run_started' },
  ...{ taskId: null, attemptId: null, tool: null, payload: { commit: 'c' } },
};

describe('a line of the log of events', () => {
  it('has the fields of the document, those that do not apply left out (001.R8)', () => {
    const whole = {
      ...EVENT,
      level: 'warn',
      type: 'attempt_finished',
      taskId: 1,
      attemptId: 2,
      tool: 'pytest',
    } as const;

    expect(JSON.parse(toEventLine(EVENT))).toEqual({
      ...{ seq: 7, ts: '2026-01-02T00:00:00.000Z', run_id: 'run-1', level: 'info', event_type: 'run_started' },
      payload: { commit: 'c' },
    });
    expect(JSON.parse(toEventLine(whole))).toMatchObject({
      ...{ level: 'warn', event_type: 'attempt_finished', task_id: 1, attempt_id: 2, tool: 'pytest' },
    });
  });

  it('is one line, whatever an agent wrote, and not longer than a reader takes', () => {
    expect(toEventLine({ ...EVENT, payload: { detail: 'a\nb\r\u2028c' } }).split('\n')).toHaveLength(1);
    expect(JSON.parse(toEventLine({ ...EVENT, payload: { detail: 'x'.repeat(70_000) } }))).toMatchObject({
      payload: { cut: true },
    });
  });

  it.each([
    [toEventLine(EVENT), 7],
    ['{"seq":1.5}', null],
    ['{"seq":"7"}', null],
    ['{}', null],
    ['{"seq":', null],
    ['[7]', null],
  ])('%s is number %j', (line, seq) => {
    expect(readEventSeq(line)).toBe(seq);
  });
});
