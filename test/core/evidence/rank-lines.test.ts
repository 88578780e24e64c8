import { describe, expect, it } from 'vitest';
import type { FailureGroup, LogFailure } from '../../../src/core/evidence/log-failure.ts';
import { rankLines } from '../../../src/core/evidence/rank-lines.ts';
import type { LogDigest } from '../../../src/core/evidence/read-log.ts';
import type { LogStep } from '../../../src/core/evidence/read-steps.ts';

/** The log has 1,000 lines of three bytes, of which the last one is `x999`. */
const LENGTH = 1000;
const ALL = Array.from({ length: LENGTH }, (_, index) => ({ index, text: `x${index}` }));

function aGroup(from: number, change: Partial<LogFailure> = {}, at: Partial<FailureGroup> = {}): FailureGroup {
  const sign = { tool: null, path: null, line: null, column: null, rule: null, testId: null, message: 'no' };
  const failure = { kind: 'exception' as const, ...sign, step: null, from, to: from + 1, ...change };
  return { failure, count: 1, lastFrom: from, lines: [from], frames: [], ...at };
}

function aStep(from: number, exit: number): LogStep {
  return { command: 'make', from, exit };
}

interface Given {
  readonly failures?: readonly FailureGroup[];
  readonly steps?: readonly LogStep[];
  readonly later?: readonly FailureGroup[];
  readonly tailLength?: number;
  readonly maxBytes?: number;
}

/** The indexes of the lines, each where it comes first, without those of the small tail. */
function rank({
  failures = [],
  steps = [],
  later = [],
  tailLength = 100,
  maxBytes = 100_000,
}: Given): readonly number[] {
  const digest: LogDigest = {
    tail: ALL.slice(LENGTH - tailLength),
    kept: new Map(ALL.map(({ index, text }) => [index, text])),
    failures,
    steps,
    names: [],
  };
  const indexes = [...rankLines(digest, { maxBytes, later: new Set(later) })].map(({ index }) => index);
  expect(indexes.length).toBeGreaterThan(0);
  return [...new Set(indexes)];
}

/** From `from` to before `to`. */
function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

const TAIL = range(988, 1000).toReversed();

/** What comes behind the small tail. */
function rankRest(given: Given): readonly number[] {
  const all = rank(given);
  expect(all.slice(0, TAIL.length)).toEqual(TAIL);
  return all.slice(TAIL.length);
}

describe('the lines of a log, the most important first', () => {
  it('begin with a small end, and end with all of it', () => {
    expect(rank({})).toEqual(range(900, 1000).toReversed());
    // Four bytes a line: an eighth of 100 bytes are three of them.
    expect(rank({ maxBytes: 100, steps: [aStep(10, 20)] }).slice(0, 5)).toEqual([999, 998, 997, 10, 20]);
    expect(rank({ maxBytes: 96, steps: [aStep(10, 20)] }).slice(0, 4)).toEqual([999, 998, 997, 10]);
    expect(rank({ maxBytes: 95, steps: [aStep(10, 20)] }).slice(0, 3)).toEqual([999, 998, 10]);
  });

  it('have of a step its command and its exit, then its first failure, then the end of what it printed', () => {
    const failures = [aGroup(50, { kind: 'mention' }), aGroup(100), aGroup(200)];
    const rest = rankRest({ failures, steps: [aStep(10, 300)] });

    expect(rest.slice(0, 2)).toEqual([10, 300]);
    expect(rest.slice(2, 8)).toEqual([100, 98, 99, 101, 102, 103]);
    expect(rest.slice(8, 9)).toEqual([200]);
    expect(rest.slice(9, 14)).toEqual([198, 199, 201, 202, 203]);
    expect(rest.slice(14, 29)).toEqual(range(285, 300));
  });

  it('have no failure of a step that stands at its edges', () => {
    const failures = [aGroup(10, { path: 'a.c', kind: 'place' }), aGroup(300, { kind: 'exit' })];

    expect(rankRest({ failures, steps: [aStep(10, 300)] }).slice(0, 4)).toEqual([10, 300, 285, 286]);
  });

  it('have the ends of the last three steps that name no failure', () => {
    const steps = [aStep(0, 50), aStep(60, 110), aStep(120, 170), aStep(180, 230), aStep(240, 250)];
    const rest = rankRest({
      failures: [
        aGroup(200),
        aGroup(130, { kind: 'mention' }),
        aGroup(70, { kind: 'exit' }),
        aGroup(230, { kind: 'exit' }),
      ],
      steps,
    });

    expect(rest.slice(0, 10)).toEqual(steps.flatMap(({ from, exit }) => [from, exit]));
    expect(rest.slice(10, 22)).toEqual([70, 68, 69, 71, 72, 73, 200, 198, 199, 201, 202, 203]);
    expect(rest.slice(22, 52)).toEqual([...range(95, 110), ...range(155, 170)]);
    expect(rest.slice(52, 61)).toEqual(range(241, 250));
  });

  it('know that a step which was tried again names what it named before', () => {
    const again = aGroup(10, {}, { lastFrom: 200 });
    const rest = rankRest({ failures: [again], steps: [aStep(0, 50), aStep(180, 230)] });

    expect(rest.slice(0, 10)).toEqual([0, 50, 180, 230, 10, 8, 9, 11, 12, 13]);
    // The ends of both come last first, as those of steps that name a failure.
    expect(rest.slice(10, 40)).toEqual([...range(215, 230), ...range(35, 50)]);
  });

  it('have the telling lines of all failures first: by kind, the first of each file before others', () => {
    const failures = [
      aGroup(100, { kind: 'exit' }),
      aGroup(110, {}, { lines: [110, 115] }),
      aGroup(120, { kind: 'place', path: 'a.c' }),
      aGroup(130, { kind: 'place', path: 'a.c' }),
      aGroup(140, { kind: 'place', path: 'b.c' }),
      aGroup(150, { kind: 'test' }),
    ];

    // Of places, the last one comes first, then the one before it, then the first.
    expect(rankRest({ failures }).slice(0, 7)).toEqual([150, 140, 130, 110, 115, 100, 120]);
  });

  it('have failures in code of others behind those of the project', () => {
    const failures = [aGroup(100, { path: 'a.c' }), aGroup(110, { path: 'node_modules/a.js' }), aGroup(120)];

    expect(rankRest({ failures }).slice(0, 3)).toEqual([120, 100, 110]);
  });

  it('take two of three failures from the end and one from the start', () => {
    const failures = range(0, 7).map((at) => aGroup(100 + 10 * at));

    expect(rankRest({ failures }).slice(0, 7)).toEqual([160, 150, 100, 140, 130, 110, 120]);
  });

  it('have failures within steps that failed before those outside', () => {
    const failures = [aGroup(50), aGroup(150), aGroup(250)];
    const rest = rankRest({ failures, steps: [aStep(100, 200)] }).filter((index) => [50, 150, 250].includes(index));
    expect(rest).toEqual([150, 250, 50]);

    const places = [110, 150, 200, 210, 350, 400].map((at) => aGroup(at, { kind: 'place', path: `${at}.c` }));
    const steps = [aStep(100, 200), aStep(300, 400)];
    const shown = rankRest({ failures: places, steps }).filter((index) =>
      places.some(({ lines }) => lines[0] === index),
    );
    // The exit of a step and its first failure come first. 210 is outside.
    expect(shown).toEqual([200, 400, 110, 350, 150, 210]);
  });

  it('show the first test that says more than its name whole, in a quarter of the room', () => {
    const failures = [
      aGroup(100, { kind: 'test', to: 101 }),
      aGroup(200, { kind: 'test', to: 230 }),
      aGroup(400, { kind: 'test', to: 430 }),
    ];
    const rest = rankRest({ failures });

    expect(rest.slice(0, 121)).toEqual(range(199, 320));
    expect(rest.slice(121, 123)).toEqual([400, 100]);
    // Four bytes a line: a quarter of 400 bytes are 25 lines, from the one before the test.
    const small = rank({ failures, maxBytes: 400 }).slice(12);
    expect(small.slice(0, 27)).toEqual([...range(199, 224), 400, 100]);
    expect(rank({ failures, maxBytes: 399 })).not.toEqual(rank({ failures, maxBytes: 400 }));
  });

  it('show the first failure of each file before the others of that file', () => {
    const failures = [
      aGroup(100, { kind: 'place', path: 'a.c' }),
      aGroup(200, { kind: 'place', path: 'a.c' }),
      aGroup(300, { kind: 'place', path: 'b.c' }),
      aGroup(400, { kind: 'place', path: 'a.c' }),
      aGroup(500, { kind: 'place' }),
      aGroup(600, { kind: 'place' }),
    ];

    expect(rankRest({ failures }).slice(0, 6)).toEqual([600, 500, 100, 300, 400, 200]);
  });

  it('have around a failure what stands before it, its first lines, what follows, and its frames', () => {
    const group = aGroup(100, { to: 130 }, { lines: [100, 110], frames: [105, 120] });
    const rest = rankRest({ failures: [group] });

    expect(rest.slice(0, 2)).toEqual([100, 110]);
    expect(rest.slice(2, 12)).toEqual([98, 99, ...range(101, 108), 120]);
    expect(rankRest({ failures: [aGroup(100, { to: 102 })] }).slice(0, 6)).toEqual([100, 98, 99, 101, 102, 103]);
  });

  it('have around a place nothing at first', () => {
    const failures = [aGroup(100, { kind: 'place', path: 'a.c' }), aGroup(200, { kind: 'place', path: 'b.c' })];
    const rest = rankRest({ failures });

    expect(rest.slice(0, 2)).toEqual([200, 100]);
    // Behind a larger end of the log, each has its context.
    expect(rest.slice(2, 50)).toEqual(range(940, 988).toReversed());
    expect(rest.slice(50, 70)).toEqual([...range(195, 200), ...range(201, 216)]);
    expect(rest.slice(71, 76)).toEqual(range(95, 100));
  });

  it('have what a test says, and what is around it, behind all failures', () => {
    const failures = [aGroup(100, { kind: 'test', to: 140 }), aGroup(500, { kind: 'test', to: 540 })];
    const rest = rankRest({ failures }).filter((index) => index >= 480 && index < 600);

    // What is near it comes first: two lines before it, seven of its own, and from its end up to four behind its start.
    expect(rest.slice(0, 10)).toEqual([500, 498, 499, ...range(501, 508)]);
    expect(rest.slice(10, 10 + 3 + 16 + 16)).toEqual([495, 496, 497, ...range(508, 524), ...range(540, 556)]);
  });

  it('have the lines of places whose names are shown apart behind the ends of the steps', () => {
    const later = [aGroup(120, { kind: 'place', path: 'b.c' })];
    const failures = [aGroup(110, { kind: 'place', path: 'a.c' }), ...later];
    const rest = rankRest({ failures, later, steps: [aStep(100, 200)] });

    expect(rest.slice(0, 3)).toEqual([100, 200, 110]);
    expect(rest.slice(3, 18)).toEqual(range(185, 200));
    expect(rest[18]).toBe(120);
  });

  it('have words of failure near the end, those without a place first, and warnings first where nothing else failed', () => {
    const words = aGroup(100, { kind: 'mention' });
    const warning = aGroup(200, { kind: 'mention', path: 'a.c' });
    const sure = aGroup(300, { kind: 'place', path: 'c.c' });
    const exit = aGroup(300, { kind: 'exit' });

    const withSure = rankRest({ failures: [words, warning, sure] });
    expect(withSure.slice(0, 5)).toEqual([300, 99, 100, 101, 102]);
    expect(withSure.indexOf(940)).toBeLessThan(withSure.indexOf(200));
    const withExit = rankRest({ failures: [words, warning, exit] });
    expect(withExit.slice(6, 10)).toEqual([199, 200, 201, 202]);
    expect(withExit.indexOf(940)).toBeLessThan(withExit.indexOf(100));
    // Behind the larger end, each has more around it, the likely ones first.
    expect(withSure.indexOf(105)).toBeLessThan(withSure.indexOf(198));
    expect(withExit.indexOf(205)).toBeLessThan(withExit.indexOf(98));
    expect([98, 105, 198, 205].every((index) => withSure.includes(index))).toBe(true);
    expect([97, 106, 197, 206].some((index) => withSure.includes(index))).toBe(false);
  });

  it('have words outside of steps that failed last, and only their own lines', () => {
    const failures = [50, 150].map((from) => aGroup(from, { kind: 'mention', path: 'a.c' }));
    const rest = rankRest({ failures, steps: [aStep(100, 200)] });

    expect(rest.indexOf(150)).toBeLessThan(rest.indexOf(940));
    expect(rest.indexOf(50)).toBeGreaterThan(rest.indexOf(940));
    expect(rest.indexOf(50)).toBeLessThan(rest.indexOf(939));
    expect(rest).not.toContain(51);
  });

  it('leave out what was not kept', () => {
    const digest: LogDigest = { tail: [], kept: new Map([[5, 'five']]), failures: [aGroup(5)], steps: [], names: [] };
    const lines = [...rankLines(digest, { maxBytes: 1000, later: new Set() })];

    expect(new Set(lines.map(({ index, text }) => `${index} ${text}`))).toEqual(new Set(['5 five']));
  });
});
