import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { cutBytes, cutHead, cutTail, cutToLines, toByteLength } from '../../../src/core/text/cut-bytes.ts';
import { stripInvisible, toFence, toInlineCode, toPlainText } from '../../../src/core/text/escape.ts';
import { expectInert, HOSTILE, hostileText, proseOf } from '../../support/hostile-text.ts';

describe('escaped text of others', () => {
  it.each(HOSTILE)('is inert for %j', (text) => {
    expectInert(toPlainText(`a ${text} b`, 1000));
    expectInert(toPlainText(text, 1000));
    expectInert(`x ${toInlineCode(text)} y`);
    expectInert(toFence(text));
  });

  it('is inert in every combination (T55)', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expectInert(toPlainText(text, 500));
        expectInert(`- ${toInlineCode(text)}: ${toPlainText(text, 50)}`);
        expectInert(`x\n\n${toFence(text)}\n\nwww`);
      }),
      { numRuns: 200 },
    );
  });

  it('stays one code block, one code span, one line', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(fromMarkdown(toFence(text)).children.map(({ type }) => type)).toEqual(['code']);
        expect(toInlineCode(text)).not.toContain('\n');
        expect(fromMarkdown(`x ${toInlineCode(text)} y`).children).toMatchObject([
          { type: 'paragraph', children: [{ type: 'text' }, { type: 'inlineCode' }, { type: 'text' }] },
        ]);
        expect(toPlainText(text, 100)).not.toContain('\n');
      }),
    );
  });

  it('reads as it was written', () => {
    expect(proseOf(toPlainText('a*b* <c> [d] e_f `g #1 @h 50%', 100)).replaceAll('\u2060', '')).toBe(
      'a*b* <c> [d] e_f `g #1 @h 50%',
    );
    expect(toInlineCode('a `b` ``c``')).toBe('``` a `b` ``c`` ```');
    expect(toInlineCode(' \u200B ')).toBe('` `');
    expect(toFence('a\n')).toBe('```text\na\n```');
    expect(stripInvisible('a\r\nb\rc\td')).toBe('a\nb\nc\td');
  });

  it('shows what stands between single backticks as code, and other backticks as they are', () => {
    expect(toPlainText('Run `npm test`. Not ``a`` and not `b', 100)).toBe(
      'Run `npm test`. Not \\`\\`a\\`\\` and not \\`b',
    );
    expect(toPlainText(String.raw`a\`b_c\`d`, 100)).toBe('a\\\\`b_c\\`d');
    expect(toPlainText('see `abc`', 6)).toBe('see \\`a…');
  });

  it('is cut by characters, never in the middle of one', () => {
    expect(toPlainText('abcdef', 3)).toBe('abc…');
    expect(toPlainText('ab😀', 3)).toBe('ab…');
    expect(toPlainText('abc', 3)).toBe('abc');
  });
});

describe('cutBytes', () => {
  it('leaves a text that fits', () => {
    expect(cutBytes('äb\n', 4)).toBe('äb\n');
  });

  it('cuts at the end of a line, closes what is open and says so', () => {
    const text = `<details><summary>x</summary>\n\n\`\`\`\`text\n${'line ```\n'.repeat(20)}\`\`\`\`\n\n</details>\n`;
    const cut = cutBytes(text, 120);

    expect(toByteLength(cut)).toBeLessThanOrEqual(120);
    expect(cut).toMatch(/line ```\n````\n\n… \(cut\)\n\n<\/details>$/u);
  });

  it('knows what is closed again', () => {
    const text = `~~~\n\`\`\`\n~~~ x\n~~~\n<details>a</details>\n</details>\n${'x\n'.repeat(50)}`;

    expect(cutBytes(text, 90)).toMatch(/x\n\n… \(cut\)$/u);
  });

  it('cuts inside a line where nothing else is left', () => {
    expect(cutBytes('ä'.repeat(20), 5)).toBe('ää');
    expect(cutHead('ä', 0)).toBe('');
    expect(cutHead('abc', 3)).toBe('abc');
  });

  it('keeps its limit and well-formed text for any text and limit', () => {
    const anyText = fc.array(fc.constantFrom('é', '😀', '```\n', '~~~~\n', '<details>\n', '</details>\n', 'x', '\n'), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(anyText, fc.nat({ max: 120 }), (parts, maxBytes) => {
        const text = parts.join('');
        for (const cut of [
          cutBytes(text, maxBytes),
          cutToLines(text, maxBytes),
          cutTail(text, maxBytes),
          cutHead(text, maxBytes),
        ]) {
          expect(toByteLength(cut)).toBeLessThanOrEqual(maxBytes);
          expect(cut).not.toContain('\uFFFD');
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('cutToLines', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['line 1\nline 2\nline 3', 19, 'line 1\n… (cut)'],
    ['x'.repeat(50), 14, 'xxxx\n… (cut)'],
    ['\nabcdefghijkl', 12, '\na\n… (cut)'],
    ['abcdefghijkl', 11, 'a\n… (cut)'],
    ['abcdefghijkl', 10, ''],
    ['abcdef', 5, ''],
  ])('cuts %j to %i bytes', (text, maxBytes, expected) => {
    expect(cutToLines(text, maxBytes)).toBe(expected);
  });
});

describe('cutTail', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['line 1\nline 2\nline 3', 19, '… (cut)\nline 3'],
    ['x'.repeat(50), 14, '… (cut)\nxxxx'],
    ['😀'.repeat(10), 16, '… (cut)\n😀'],
    [`${'x'.repeat(50)}\n`, 14, '… (cut)\nxxx\n'],
    ['abcdef', 5, ''],
  ])('cuts %j to %i bytes', (text, maxBytes, expected) => {
    expect(cutTail(text, maxBytes)).toBe(expected);
  });
});
