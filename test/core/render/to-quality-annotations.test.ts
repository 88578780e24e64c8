import { describe, expect, it } from 'vitest';
import { toQualityAnnotations } from '../../../src/core/render/to-quality-annotations.ts';
import { toByteLength } from '../../../src/core/text/cut-bytes.ts';
import { aFinding } from '../../support/engine-stories.ts';

const FILES = new Set(['src/a.ts', 'src/b.ts']);

describe('the annotations of new findings', () => {
  it('stand at the line, the worst first, at the level of the severity', () => {
    const added = (['low', 'medium', 'high', 'blocker'] as const).map((severity) => aFinding({ severity }));

    expect(toQualityAnnotations({ added }, FILES).map(({ level }) => level)).toEqual([
      'failure',
      'failure',
      'warning',
      'notice',
    ]);
    expect(toQualityAnnotations({ added: [aFinding()] }, FILES)).toEqual([
      {
        path: 'src/a.ts',
        startLine: 3,
        endLine: 3,
        startColumn: 1,
        endColumn: 1,
        level: 'failure',
        title: 'eslint no-var',
        message: 'Unexpected var.',
      },
    ]);
  });

  it.each([
    ['no line: the first one', { line: null, column: 5 }, [1, 1, undefined]],
    ['line 0, which GitHub refuses', { line: 0, column: null }, [1, 1, undefined]],
    ['several lines: no column', { line: 3, endLine: 5, column: 2 }, [3, 5, undefined]],
    ['an end before its start', { line: 3, endLine: 1, column: 2 }, [3, 3, 2]],
    ['no column', { line: 3, column: null }, [3, 3, undefined]],
    ['column 0', { line: 3, column: 0 }, [3, 3, undefined]],
  ])('of a finding with %s', (_what, change, place) => {
    const [annotation] = toQualityAnnotations({ added: [aFinding(change)] }, FILES);

    expect([annotation?.startLine, annotation?.endLine, annotation?.startColumn]).toEqual(place);
  });

  it('are none of a file that the head does not have, and of no file', () => {
    const added = [aFinding({ path: 'gone.ts' }), aFinding({ path: null })];

    expect(toQualityAnnotations({ added }, FILES)).toEqual([]);
  });

  it('are 300 at most, each with a message that is not empty, not too long and holds nothing invisible', () => {
    const added = Array.from({ length: 301 }, (_, nth) => aFinding({ line: nth + 1, message: '\u202E \u0000' }));
    const [long] = toQualityAnnotations({ added: [aFinding({ message: 'ü'.repeat(9_000), rule: null })] }, FILES);

    const annotations = toQualityAnnotations({ added }, FILES);

    expect(annotations).toHaveLength(300);
    expect(annotations[0]?.message).toBe('The tool gives no message.');
    expect(toByteLength(long?.message ?? '')).toBe(8_192);
    expect(long?.title).toBe('eslint');
    const [titled] = toQualityAnnotations({ added: [aFinding({ rule: `a\nb${'x'.repeat(300)}` })] }, FILES);
    expect(titled?.title).toMatch(/^eslint a bx+$/u);
    expect(titled?.title).toHaveLength(255);
  });
});
