import { describe, expect, it } from 'vitest';
import { createLineSplitter } from '../../../src/core/evidence/split-lines.ts';

/** The lines of a log that comes in pieces, and `+N` for N lines that are left out. */
function split(...pieces: readonly string[]): readonly string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter(
    (raw) => lines.push(raw),
    (count) => {
      const before = /^\+(\d+)$/u.exec(lines.at(-1) ?? '')?.[1];
      if (before !== undefined) lines.pop();
      lines.push(`+${Number(before ?? 0) + count}`);
    },
  );
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  return lines;
}

describe('the lines of a log', () => {
  it('are the same, whatever its pieces are', () => {
    expect(split('a\nbc\n\nd')).toEqual(['a', 'bc', '', 'd']);
    expect(split('a', '\nb', 'c', '\n', '\n', '', 'd')).toEqual(['a', 'bc', '', 'd']);
    expect(split('a\n', 'b\n')).toEqual(['a', 'b']);
    expect(split('')).toEqual([]);
    expect(split('\n')).toEqual(['']);
  });

  it('are left out beyond 40 equal ones in a row', () => {
    const forty = Array.from({ length: 40 }, () => 'a');

    expect(split(`${'a\n'.repeat(40)}b`)).toEqual([...forty, 'b']);
    expect(split(`${'a\n'.repeat(43)}b\na\n`)).toEqual([...forty, '+3', 'b', 'a']);
    expect(split('a\nb\n'.repeat(41))).toHaveLength(82);
  });

  it('are left out at once where they are empty', () => {
    const forty = Array.from({ length: 40 }, () => '');

    expect(split(`${'\n'.repeat(5000)}b\n\nc`)).toEqual([...forty, '+4960', 'b', '', 'c']);
    expect(split('\n'.repeat(41), '\n'.repeat(59), 'b')).toEqual([...forty, '+60', 'b']);
    expect(split(`x${'\n'.repeat(100)}b`)).toEqual(['x', ...forty, '+59', 'b']);
  });
});

describe('a long line', () => {
  const MAX = 8192;
  const start = 's'.repeat(2048);
  const end = 'e'.repeat(1024);
  const cut = (...parts: readonly string[]): string => parts.join(' … ');

  it('is whole up to its limit, also in pieces', () => {
    const full = 'x'.repeat(MAX);
    const longer = `${full}x`;
    const ends = cut('x'.repeat(2048), 'x'.repeat(1024));

    expect(split(`${full}\nb`)).toEqual([full, 'b']);
    expect(split(full.slice(100), full.slice(0, 100), '\nb')).toEqual([full, 'b']);
    expect(split(`${longer}\nb`)).toEqual([ends, 'b']);
    expect(split('x', full, '\nb')).toEqual([ends, 'b']);
    expect(split(longer)).toEqual([ends]);
    expect(split('x', `${full}\n`)).toEqual([ends]);
  });

  it('has its start and its end', () => {
    const line = `${start}${'-'.repeat(9000)}${end}`;

    expect(split(`${line}\n`)).toEqual([cut(start, end)]);
    for (const size of [1, 100, 1023, 1024, 1025, 5000]) {
      const pieces = Array.from({ length: Math.ceil(line.length / size) }, (_, at) =>
        line.slice(at * size, (at + 1) * size),
      );
      expect(split(...pieces, '\nb')).toEqual([cut(start, end), 'b']);
    }
  });

  it('has the first part that may name a failure, with what stands before it', () => {
    const before = '-'.repeat(5000);
    const after = '+'.repeat(9000);
    const line = `${start}${before}Error: no${after}${end}`;
    const part = `${'-'.repeat(256)}Error: no${'+'.repeat(768 - 9)}`;

    expect(split(line)[0]?.length).toBe(2048 + 1024 + 1024 + 6);
    expect(split(line)).toEqual([cut(start, part, end)]);
    expect(split(`${line}Fail${end}`)).toEqual([cut(start, part, end)]);
  });

  it('has a failure right behind its start, and at the start of a piece', () => {
    const after = '+'.repeat(9000);

    expect(split(`${start}Error: no${after}${end}`)).toEqual([cut(start, `Error: no${'+'.repeat(1024 - 9)}`, end)]);
  });

  it('has a failure that stands in two pieces', () => {
    const line = `${start}${'-'.repeat(7000)}Fa`;
    const found = split(line, `il: no${'+'.repeat(9000)}`, end)[0] ?? '';

    expect(found).toContain('---Fail: no+++');
    expect(found.startsWith(start)).toBe(true);
    expect(found.endsWith(end)).toBe(true);
  });

  it('has no part twice that its end shows', () => {
    const last = `${'-'.repeat(300)}Error: no`;
    const found = split(`${start}${'-'.repeat(9000)}${last}`);

    expect(found).toEqual([cut(start, `${'-'.repeat(1015)}Error: no`)]);
  });

  it('has the rest of a part that comes later', () => {
    const pieces = [`${start}${'-'.repeat(7000)}Error: `, 'in one', ' or two', '+'.repeat(9000), end];
    const [found = ''] = split(...pieces);

    expect(found).toContain('Error: in one or two++++');
    expect(found.length).toBeLessThanOrEqual(2048 + 1024 + 1024 + 6);
  });
});
