import { describe, expect, it } from 'vitest';
import { readLog } from '../../../src/core/evidence/read-log.ts';
import { toLogExcerpt } from '../../../src/core/evidence/to-log-excerpt.ts';

const CAUSE = 'SyntaxError: Unexpected token in src/deep/file.js:3:4';

describe('a long line of a log', () => {
  it.each([
    ['at its start', 0, 3000],
    ['behind 1,500 characters', 1500, 3000],
    ['behind 3,000 characters', 3000, 0],
    ['behind 3,000 characters, far from the end', 3000, 3000],
    ['behind 100,000 characters', 100_000, 0],
    ['behind 100,000 characters, far from the end', 100_000, 100_000],
  ])('is cut, but not its cause %s', (_what, before, after) => {
    const log = `start ${'x'.repeat(before)} ${CAUSE} ${'y'.repeat(after)}\n${'fine\n'.repeat(5000)}`;
    const excerpt = toLogExcerpt(log, { maxBytes: 8192 });

    expect(excerpt).toContain(CAUSE);
    expect(excerpt).toContain('start x'.slice(0, before === 0 ? 5 : 7));
    expect(Math.max(...excerpt.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(2001);
    expect(readLog(log, 8192).names).toContain('src/deep/file.js');
  });
});
