import { describe, expect, it } from 'vitest';
import { EXCEPTION_FORMS, type Frame, toFrame } from '../../../src/core/evidence/recognise-exceptions.ts';
import { EXIT_FORMS } from '../../../src/core/evidence/recognise-exits.ts';
import {
  findHint,
  isFailureLine,
  mayBeFailure,
  recogniseLine,
  stripPrefixes,
} from '../../../src/core/evidence/recognise-line.ts';
import {
  BELOW_FORMS,
  PLACE_FORMS,
  recogniseBelow,
  toPlaceHeader,
} from '../../../src/core/evidence/recognise-places.ts';
import { MARKED_FORMS, TEST_FORMS } from '../../../src/core/evidence/recognise-tests.ts';
import { KNOWN_ANYWHERE, OTHER_LINES } from './lines/others.ts';
import { FRAMES, HEADERS, LINES_BELOW } from './lines/stacks.ts';
import { TEST_LINES } from './lines/tests.ts';
import { FAILURE_WORDS, HARMLESS_LINES } from './lines/words.ts';
import { toSignText } from './sign-text.ts';

function say(line: string): string {
  return toSignText(recogniseLine(line), line);
}

/** Without the message, which may have the words around it. */
function sayShort(line: string): string {
  return say(line).split(' = ')[0] ?? '';
}

const LINES = [...Object.entries(TEST_LINES), ...Object.entries(OTHER_LINES)].flatMap(([tool, lines]) =>
  lines.map(([line, says, indented = says]) => [tool, line, says, indented] as const),
);
const FAILURES = LINES.filter(([, , says]) => !/^(?:-|mention)/u.test(says));

describe('recogniseLine', () => {
  it.each(LINES)('%s: %s', (_tool, line, says, indented) => {
    expect(say(line)).toBe(says);
    expect(say(`  ${line}`)).toBe(indented);
  });

  it.each(FAILURES)('%s: takes no line for it that only quotes %s', (_tool, line, says) => {
    const isAnywhere = KNOWN_ANYWHERE.includes(line);
    expect(sayShort(`see ${line}`) === says.split(' = ')[0]).toBe(isAnywhere);
  });

  it('is asked about each line that it knows', () => {
    // The tool that prints it marks it with `[error]`.
    const bare = '\tacme.deep_er.SumTests';
    expect(FAILURES.map(([, line]) => line).filter((line) => !mayBeFailure(line))).toEqual([bare]);
    expect(mayBeFailure('all fine')).toBe(false);
  });

  it('takes what a runner or a build tool calls an error for one, but no empty line', () => {
    expect(say('##[error]all gone')).toBe('exit = all gone');
    expect(say('[error]all gone')).toBe('mention = all gone');
    expect(say('[FATAL] all gone')).toBe('mention = all gone');
    expect(say('npm ERR! all gone ')).toBe('mention = all gone');
    expect(say('npm error all gone')).toBe('mention = all gone');
    expect(say('❌  all gone')).toBe('mention = all gone');
    expect(say('[INFO] all gone')).toBe('-');
    for (const mark of ['##[error]', '[ERROR] ', '[fatal]']) expect(say(`${mark}  `)).toBe('-');
  });

  it('tries few forms on every line: all others name a text that the line must have', () => {
    const forms = [...EXIT_FORMS, ...TEST_FORMS, ...EXCEPTION_FORMS, ...PLACE_FORMS, ...BELOW_FORMS, ...MARKED_FORMS];
    expect(forms.length).toBeGreaterThan(140);
    expect(forms.filter(({ needs }) => needs === '').map(({ kind, tool }) => tool ?? kind)).toEqual([
      'exit',
      'junit',
      'pytest',
      'testthat',
      'exception',
      'exception',
      'test',
      'test',
    ]);
  });
});

describe('what stands before a line', () => {
  it.each([
    ['##[error][ERROR] x', 'x', 'runner'],
    ['[ERROR]x', 'x', 'error'],
    ['[fatal]  x', ' x', 'error'],
    ['[INFO] x', 'x', ''],
    ['[junit]x', 'x', ''],
    ['[copy] [exec] x', 'x', ''],
    ['    [javac] x', 'x', ''],
    ['  [antcall]x', 'x', ''],
    ['  [ant:scp] x', '  [ant:scp] x', ''],
    [' [javac] x', ' [javac] x', ''],
    ['app_1.a-b   | x', 'x', ''],
    ['app | [ERROR] x', 'x', 'error'],
    ['two words | x', 'two words | x', ''],
    ['! | x', '! | x', ''],
    ['[INFO] [INFO] [INFO] [INFO] x', '[INFO] x', ''],
    ['see [ERROR] x', 'see [ERROR] x', ''],
    ['  x', '  x', ''],
  ])('%s', (line, text, mark) => {
    expect(stripPrefixes(line)).toEqual({ text, isError: mark !== '', isRunner: mark === 'runner' });
  });
});

describe('where a line may name a failure', () => {
  it('is the first such place', () => {
    expect(findHint('a line with an error that failed')).toBe(15);
    expect(findHint('it failed with an error')).toBe(3);
    expect(findHint('a.c:3 has an error')).toBe(1);
    expect(findHint('all fine')).toBe(-1);
  });
});

describe('words of failure', () => {
  it.each(FAILURE_WORDS)('%s', (line) => {
    expect(isFailureLine(line)).toBe(true);
  });

  it.each(HARMLESS_LINES)('mean nothing in %s', (line) => {
    expect(isFailureLine(line)).toBe(false);
  });
});

describe('a line of a stack', () => {
  const toText = (frame: Frame | null): string => {
    if (frame === null) return '-';
    const { path, line, column, message, isForeign, isLastBest } = frame;
    const marks = [isForeign ? 'foreign' : null, isLastBest ? 'last is best' : null];
    const place = [path, line, column].filter((part) => part !== null).join(':');
    return [place, ...marks, message === null ? null : `= ${message}`].filter((part) => part !== null).join(' ');
  };

  it.each(FRAMES)('%s', (line, says) => {
    expect(toText(toFrame(line))).toBe(says);
  });

  it.each(FRAMES.filter(([line]) => !line.includes(' 0x')))('is none that only quotes %s', (line) => {
    expect(toFrame(`see ${line}`)).toBeNull();
  });
});

describe('the path that stands above places', () => {
  it.each(HEADERS)('%s', (line, path) => {
    expect(toPlaceHeader(line) ?? '-').toBe(path);
  });

  it.each(LINES_BELOW)('below it: %s', (line, says) => {
    expect(toSignText(recogniseBelow(line), line)).toBe(says);
  });
});
