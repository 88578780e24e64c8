import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LoggedLine, lastDecisions } from '../../../src/core/decide/last-decisions.ts';

const DECISIONS = [
  'WAIT',
  'CLEANUP_ONLY',
  'FIX_MERGE_CONFLICT',
  'FIX_CI',
  'FIX_REVIEW',
  'DONE',
  'TERMINAL_FAILED',
] as const;
const OTHERS = ['BREAK', 'SESSION_ENDED', 'COMMAND', 'RESET', 'OBSERVED', 'EFFECT'] as const;

/** Newest first; a line is `ACTION` or `ACTION/CODE`, written a second after the one below it. */
function log(...lines: readonly string[]): readonly LoggedLine[] {
  return lines.map((line, index) => {
    const [action = '', code = action] = line.split('/');
    const found = [...DECISIONS, ...OTHERS].find((known) => known === action);
    if (found === undefined) throw new Error(`there is no ${action}`);
    return { action: found, code, reason: `because ${String(index)}`, createdAt: (lines.length - index) * 1000 };
  });
}

function show(steps: ReturnType<typeof lastDecisions>): readonly string[] {
  return steps.map(({ code, times }) => (times === 1 ? code : `${code}x${String(times)}`));
}

describe('lastDecisions', () => {
  it('has nothing to tell of an empty log', () => {
    expect(lastDecisions([], 10)).toEqual([]);
  });

  it('tells a repeated decision once: the newest reason, how often, and since when', () => {
    expect(lastDecisions(log('WAIT', 'WAIT', 'WAIT'), 10)).toEqual([
      { action: 'WAIT', code: 'WAIT', reason: 'because 0', createdAt: 3000, times: 3, since: 1000 },
    ]);
  });

  it.each(['WAIT', 'CLEANUP_ONLY', 'DONE', 'TERMINAL_FAILED'])('takes a repeated %s for one', (action) => {
    expect(show(lastDecisions(log(action, action), 10))).toEqual([`${action}x2`]);
  });

  it.each([...OTHERS, 'FIX_CI', 'FIX_REVIEW', 'FIX_MERGE_CONFLICT'])('tells each %s, also of equal ones', (action) => {
    expect(show(lastDecisions(log(action, action), 10))).toEqual([action, action]);
  });

  it('keeps apart what differs in code or in action, and what something else stands between', () => {
    expect(show(lastDecisions(log('WAIT/A', 'WAIT/B', 'DONE/B', 'COMMAND/C', 'DONE/B'), 10))).toEqual([
      ...['A', 'B', 'B', 'C', 'B'],
    ]);
  });

  it.each(DECISIONS)('counts a %s, and ends after the last that is asked for, with what followed it', (action) => {
    const other = action === 'WAIT' ? 'DONE' : 'WAIT';

    expect(show(lastDecisions(log('COMMAND/1', `${action}/2`, 'RESET/3', `${other}/4`, 'RESET/5'), 1))).toEqual([
      ...['1', '2', '3'],
    ]);
  });

  it.each(OTHERS)('counts no %s', (action) => {
    expect(show(lastDecisions(log(action, 'WAIT', action), 1))).toEqual([action, 'WAIT', action]);
  });

  it('tells at most three steps for each decision that is asked for', () => {
    expect(lastDecisions(log('COMMAND', 'COMMAND', 'COMMAND', 'COMMAND', 'WAIT'), 1)).toHaveLength(3);
  });

  it('never tells more decisions than asked for, nor any twice, whatever the log', () => {
    const line = fc.constantFrom(...DECISIONS, ...OTHERS);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), fc.integer({ min: 1, max: 10 }), (lines, max) => {
        const steps = lastDecisions(log(...lines), max);
        const decisions = steps.filter(({ action }) => DECISIONS.some((known) => known === action));

        expect(decisions.length).toBeLessThanOrEqual(max);
        expect(steps.length).toBeLessThanOrEqual(3 * max);
        expect(steps.reduce((sum, { times }) => sum + times, 0)).toBeLessThanOrEqual(lines.length);
      }),
    );
  });
});
