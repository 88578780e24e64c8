import { describe, expect, it } from 'vitest';
import { type ChunkRules, mergeChunks, type RawRun } from '../../../src/core/engines/merge-chunks.ts';
import type { Payload, RawExit } from '../../../src/core/model/engine.ts';
import type { ParsedFinding } from '../../../src/core/model/finding.ts';
import { aSpec, someSettings } from '../../support/plan-builders.ts';

type Parsed = Extract<Payload, { readonly kind: 'parsed' }>;

const RULES: ChunkRules = {
  spec: aSpec({
    output: { from: 'stdout', emptyMeansClean: true },
    exitCodes: [{ versions: null, codes: { success: [0], diagnostic: [1], toolFailure: [2] } }],
  }),
  settings: someSettings(),
  version: '1.0.0',
};

function aFinding(path: string): ParsedFinding {
  return {
    ...{ kind: 'lint', rule: 'E1', severity: 'high', native: null, message: 'wrong', path, line: 1 },
    ...{ column: null, endLine: null, testId: null, identity: null },
  };
}

function parsed(paths: readonly string[], change: Partial<Parsed> = {}): Parsed {
  const nothing = { partial: null, toolFailure: null, tests: null, coverage: null };
  return { kind: 'parsed', findings: paths.map(aFinding), ...nothing, ...change };
}

function aRaw(name: string, exit: number | Partial<RawExit>, payload: Payload): RawRun {
  const change = typeof exit === 'number' ? { exitCode: exit } : exit;
  const whole: RawExit = { kind: 'exited', exitCode: null, signal: null, durationMs: 10, ...change };
  return { argv: ['tool', name], exit: whole, payload, stderr: `stderr of ${name}` };
}

const CLEAN = aRaw('clean', 0, { kind: 'empty' });
const FOUND = aRaw('found', 1, parsed(['a']));
const UNEXPLAINED = aRaw('unexplained', 1, parsed([]));
const BROKEN = aRaw('broken', 2, { kind: 'invalid', why: 'no JSON' });
const KILLED = aRaw('killed', { kind: 'timed_out' }, parsed(['k']));

describe('several parts of one run', () => {
  it('is the run itself where there is one', () => {
    expect(mergeChunks([FOUND], RULES)).toBe(FOUND);
  });

  it('has the findings of all in their order, and all durations', () => {
    const other = aRaw('other', 1, parsed(['b', 'c']));

    const merged = mergeChunks([FOUND, CLEAN, other], RULES);

    expect(merged).toEqual({ ...FOUND, exit: { ...FOUND.exit, durationMs: 30 }, payload: parsed(['a', 'b', 'c']) });
  });

  it('is what was parsed where a part said nothing because all was well', () => {
    expect(mergeChunks([CLEAN, aRaw('other', 0, parsed([]))], RULES).payload).toEqual(parsed([]));
  });

  it('is empty where all are', () => {
    expect(mergeChunks([CLEAN, CLEAN], RULES)).toMatchObject({ exit: { exitCode: 0 }, payload: { kind: 'empty' } });
  });

  it.each([
    ['a code other than zero over zero', [CLEAN, FOUND], FOUND],
    ['one that names nothing over findings', [FOUND, UNEXPLAINED], UNEXPLAINED],
    ['one that cannot be read over one that names nothing', [UNEXPLAINED, BROKEN], BROKEN],
    ['one that was killed over one that cannot be read', [BROKEN, KILLED], KILLED],
  ] as const)('is as good as the worst, in either order: %s', (_, [left, right], worst) => {
    for (const raws of [[left, right] as const, [right, left] as const]) {
      const { argv, exit, stderr } = mergeChunks(raws, RULES);
      expect({ argv, exit, stderr }).toEqual({
        argv: worst.argv,
        exit: { ...worst.exit, durationMs: 20 },
        stderr: worst.stderr,
      });
    }
  });

  it('of equally bad ones is the first', () => {
    const other = aRaw('other', 1, parsed(['b']));

    expect(mergeChunks([other, FOUND], RULES).argv).toEqual(other.argv);
  });

  it('tells of a part that failed, though the findings of another would explain the exit code', () => {
    const { payload } = mergeChunks([FOUND, UNEXPLAINED], RULES);

    expect(payload).toEqual(parsed(['a'], { toolFailure: 'exit code 1, but it names nothing that is wrong' }));
  });

  it('keeps what the tool itself says of its failure', () => {
    const failed = aRaw('failed', 1, parsed(['b'], { toolFailure: 'out of memory' }));

    expect(mergeChunks([FOUND, failed], RULES).payload).toEqual(parsed(['a', 'b'], { toolFailure: 'out of memory' }));
  });

  it('tells what cannot be read alone', () => {
    expect(mergeChunks([FOUND, BROKEN], RULES).payload).toEqual(BROKEN.payload);
    const silent = aRaw('silent', 2, { kind: 'empty' });
    expect(mergeChunks([FOUND, silent], RULES).payload).toEqual({ kind: 'empty' });
  });

  it('keeps the findings beside a part that was killed, which its exit tells', () => {
    const nothing = aRaw('killed', { kind: 'timed_out' }, { kind: 'missing' });

    expect(mergeChunks([FOUND, nothing], RULES).payload).toEqual(parsed(['a']));
    expect(mergeChunks([FOUND, KILLED], RULES).payload).toEqual(parsed(['a', 'k']));
  });

  it('is partial as soon as one part is', () => {
    const partial = aRaw('partial', 1, parsed(['b'], { partial: 'stopped early' }));

    expect(mergeChunks([FOUND, partial], RULES).payload).toMatchObject({ partial: 'stopped early' });
  });

  it('names the files that could not be parsed, and only if each partial part is complete apart from them', () => {
    const unread = (path: string) => aRaw(path, 1, parsed([path], { partial: `${path} is broken`, unparsed: [path] }));
    const stopped = aRaw('stopped', 1, parsed(['s'], { partial: 'stopped early' }));

    expect(mergeChunks([unread('a'), FOUND, unread('b')], RULES).payload).toMatchObject({ unparsed: ['a', 'b'] });
    expect(mergeChunks([unread('a'), stopped], RULES).payload).not.toHaveProperty('unparsed');
    expect(mergeChunks([FOUND, FOUND], RULES).payload).not.toHaveProperty('unparsed');
  });

  it('has each note of its parts once', () => {
    const noted = (...notes: readonly string[]) => aRaw('noted', 0, parsed([], { notes }));

    expect(mergeChunks([noted('one'), FOUND, noted('two', 'one')], RULES).payload).toMatchObject({
      notes: ['one', 'two'],
    });
    expect(mergeChunks([FOUND, FOUND], RULES).payload).not.toHaveProperty('notes');
  });

  it('puts tests and coverage together, and has none where no part has', () => {
    const test = (id: string) => ({ id, outcome: 'passed', path: null }) as const;
    const file = (path: string) => ({ path, covered: 1, total: 1, missingLines: [] });
    const left = aRaw('left', 0, parsed([], { tests: [test('a')], coverage: { files: [file('a')] } }));
    const right = aRaw('right', 0, parsed([], { tests: [test('b')], coverage: { files: [file('b')] } }));

    expect(mergeChunks([left, FOUND, right], RULES).payload).toMatchObject({
      tests: [test('a'), test('b')],
      coverage: { files: [file('a'), file('b')] },
    });
    expect(mergeChunks([FOUND, FOUND], RULES).payload).toMatchObject({ tests: null, coverage: null });
  });
});
