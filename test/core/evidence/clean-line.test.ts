import { describe, expect, it } from 'vitest';
import { cleanLine, showLine, stripColours } from '../../../src/core/evidence/clean-line.ts';

function show(raw: string): readonly string[] {
  const lines: string[] = [];
  showLine(raw, (line) => lines.push(line));
  return lines;
}

describe('a piece of a log without colours', () => {
  it.each([
    ['a colour', '\u001B[1;31mred\u001B[0m', 'red'],
    ['a cursor', 'a\u001B[2Kb\u001B[?25lc', 'abc'],
    ['a link', '\u001B]8;;https://x.test\u0007text\u001B]8;;\u001B\\', 'text'],
    ['a title that nobody ended', 'a\u001B]0;title\nb', 'a\nb'],
    ['a mode', 'a\u001B=b\u001B>c\u001B7d\u001B8e\u001BMf', 'abcdef'],
    ['no such code', 'a\u001Bxb', 'a\u001Bxb'],
    ['line ends of Windows', 'a\r\nb\rc\r\n', 'a\nb\rc\n'],
    ['line ends of Windows and a colour', '\u001B[1ma\r\nb\rc\r\n', 'a\nb\rc\n'],
    ['a rest of them', 'a\u001B[1m', 'a'],
    ['nothing of this', 'a [1m', 'a [1m'],
  ])('%s', (_what, piece, text) => {
    expect(stripColours(piece)).toBe(text);
  });
});

const TIME = '2026-01-01T00:00:00';

describe('what a line shows', () => {
  it.each([
    ['text', 'fine  ', ['fine']],
    ['indented text', '  fine', ['  fine']],
    ['nothing', '', ['']],
    ['a timestamp', `${TIME}.1234567Z  fine`, [' fine']],
    ['a timestamp without fractions', `${TIME}Z fine`, ['fine']],
    ['a timestamp alone', `${TIME}.1Z`, ['']],
    ['a timestamp right before the text', `${TIME}.1Zfine`, ['fine']],
    ['a timestamp behind a mark', `\uFEFF${TIME}.1Z fine`, ['fine']],
    ['a timestamp within', `at ${TIME}.1Z fine`, [`at ${TIME}.1Z fine`]],
    ['a timestamp within a line that begins like one', `2 at ${TIME}.1Z fine`, [`2 at ${TIME}.1Z fine`]],
    ['job and step', `build\tRun it\t${TIME}.1Z fine`, ['fine']],
    ['job and step before a mark', `build\tRun it\t\uFEFF${TIME}.1Z fine`, ['fine']],
    ['two tabs without a timestamp', 'a\tb\tfine', ['a\tb\tfine']],
    ['three parts and a timestamp', `x\ta\tb\t${TIME}.1Z fine`, [`x\ta\tb\t${TIME}.1Z fine`]],
    ['a progress bar', '10%\r50%\r100%', ['100%']],
    ['a progress bar that was cleared', '10%\r\r', ['10%']],
    ['a failure that a progress bar overwrote', '10%\rError: no\rError: no\r100%', ['Error: no', '100%']],
    [
      'failures that were overwritten, at most three',
      'error 1\rerror 2\rerror 3\rerror 4\rend',
      ['error 1', 'error 2', 'error 3', 'end'],
    ],
    ['overwritten text with blanks behind it', 'error 1  \r  end  ', ['error 1', '  end']],
    ['only carriage returns', '\r\r', ['']],
    ['an invisible character', 'fi\u200Bne\u0000', ['fine']],
    ['letters of the world', 'größer Ωмега 漢字 ✓ ', ['größer Ωмега 漢字 ✓']],
  ])('%s', (_what, raw, lines) => {
    expect(show(raw)).toEqual(lines);
  });

  it.each([
    '##[endgroup]',
    '##[debug]x',
    '##[add-mask]x',
    '::debug::x',
    '::add-mask::x',
    '::endgroup::',
    'travis_fold:start:x',
    'travis_time:end:x',
    'section_start:1:x',
    'section_end:1:x',
  ])('is nothing where only a runner reads it: %s', (line) => {
    expect(show(line)).toEqual([]);
    expect(show(`see ${line}`)).toEqual([`see ${line}`]);
  });

  it.each(['##[group]Run x', '##[error]x', '::error::x', '::debugger', 'travis_x:1'])('is shown: %s', (line) => {
    expect(show(line)).toEqual([line]);
  });
});

describe('a line of more than 2,000 characters', () => {
  const start = 'x'.repeat(2000);

  it('is cut', () => {
    expect(show(start)).toEqual([start]);
    expect(show(`${start}y`)).toEqual([`${start}…`]);
    expect(show(`##[debug]${start}`)).toEqual([`##[debug]${start.slice(9)}…`]);
  });

  it('shows behind its start the first place that may name a failure, from the word that it is in', () => {
    expect(show(`${start} and an error ${'y'.repeat(3000)}`)).toEqual([
      `${start}…`,
      `error ${'y'.repeat(1000 - 'error '.length)}`,
    ]);
    expect(show(`${start}file.error here`)).toEqual([`${start}…`, 'file.error here']);
    expect(show(`${start} ${'y'.repeat(500)}error`)).toEqual([`${start}…`, `${'y'.repeat(200)}error`]);
  });

  it('is cut between whole characters', () => {
    expect(show(`${'x'.repeat(1999)}😀 error ${'y'.repeat(993)}😀`)).toEqual([
      `${'x'.repeat(1999)}\uFFFD…`,
      `error ${'y'.repeat(993)}\uFFFD`,
    ]);
  });
});

describe('one line alone', () => {
  it('is cleaned like a line of a log, up to a length', () => {
    expect(cleanLine(`${TIME}.1Z \u001B[31mred\u001B[0m  `, 100)).toBe('red');
    expect(cleanLine('10%\r100%', 100)).toBe('100%');
    expect(cleanLine('  abc', 4)).toBe('  ab');
    expect(cleanLine('', 10)).toBe('');
    expect(cleanLine('\r', 10)).toBe('');
    expect(cleanLine('\u001B[1m  é \u200B ', 20)).toBe('  é');
  });
});
