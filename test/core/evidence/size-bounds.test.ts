import { describe, expect, it } from 'vitest';
import { createLogReader } from '../../../src/core/evidence/read-log.ts';
import { toLogExcerpt } from '../../../src/core/evidence/to-log-excerpt.ts';
import { toCpuMs } from '../../support/cpu-time.ts';

const LIMITS = { maxBytes: 10_000 };

/** Megabytes of input. Mutation testing leaves this file out. */
describe('the evidence from a very large log', () => {
  it('has bounded memory for hostile logs', () => {
    const reader = createLogReader(8192);
    for (let index = 0; index < 20_000; index += 1) {
      reader.push(
        `src/${index}/${'x'.repeat(index % 50)}.c:${index}:1: error: ${'y'.repeat(300)} ${index} in z${index}.h\n`,
      );
    }
    const { kept, tail, failures, names } = reader.end();

    expect([...kept.values()].join('').length).toBeLessThan(256 * 1024);
    expect(tail.map(({ text }) => text).join('').length).toBeLessThan(8193);
    expect(failures.length).toBeLessThanOrEqual(2000);
    expect(names.length).toBeLessThanOrEqual(5000);
    // What was kept is around the failures that are listed.
    expect(kept.has(failures[0]?.failure.from ?? -1)).toBe(true);
  });

  it('finds a failure before more than 8 MiB and 50,000 lines', () => {
    const cause = 'src/a.ts(3,5): error TS2322: wrong';
    const noise = Array.from({ length: 60_000 }, (_, index) => `${'x'.repeat(150)} ${index}`);

    expect(toLogExcerpt([cause, ...noise].join('\n'), LIMITS)).toContain(cause);
  });

  it.each([
    ['one line', 'x'.repeat(5_000_000)],
    ['failures', 'error x\n'.repeat(600_000)],
    ['empty lines', '\n'.repeat(5_000_000)],
    ['escapes', '\u001B['.repeat(2_500_000)],
    ['chains of JUnit', `  Sum.adds:3${'->a'.repeat(600)}FAIL\n  Sum.adds${'->a'.repeat(600)}FAIL\n`.repeat(1350)],
  ])('is safe with 5 MB of %s', (_what, log) => {
    let excerpt = '';
    const cpuMs = toCpuMs(() => {
      excerpt = toLogExcerpt(log, LIMITS);
    });

    expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(LIMITS.maxBytes);
    // Work in the square of the length would take hours.
    expect(cpuMs).toBeLessThan(20_000);
  });
});
