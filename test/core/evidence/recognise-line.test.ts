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

const GROUPS = [...Object.entries(TEST_LINES), ...Object.entries(OTHER_LINES)];
const FAILURES = GROUPS.flatMap(([, lines]) => lines.filter(([, says]) => !/^(?:-|mention)/u.test(says)));

/** What is said of each line, to compare all at once: a test for each of many hundred lines would take a second. */
function sayAll(lines: readonly string[], toText: (line: string) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(lines.map((line) => [line, toText(line)]));
}

describe('recogniseLine', () => {
  it.each(GROUPS)('knows lines of %s', (_tool, lines) => {
    expect(
      sayAll(
        lines.map(([line]) => line),
        say,
      ),
    ).toEqual(Object.fromEntries(lines.map(([line, says]) => [line, says])));
  });

  it.each(GROUPS)('knows them behind blanks: %s', (_tool, lines) => {
    expect(
      sayAll(
        lines.map(([line]) => line),
        (line) => say(`  ${line}`),
      ),
    ).toEqual(Object.fromEntries(lines.map(([line, says, indented = says]) => [line, indented])));
  });

  it('takes no line for one of them that only quotes it, but for some', () => {
    const same = FAILURES.filter(([line, says]) => sayShort(`see ${line}`) === says.split(' = ')[0]);
    expect(same.map(([line]) => line).toSorted()).toEqual(KNOWN_ANYWHERE.toSorted());
  });

  it('is asked about each line that it knows', () => {
    // The tool that prints it marks it with `[error]`.
    const bare = '\tacme.deep_er.SumTests';
    expect(FAILURES.map(([line]) => line).filter((line) => !mayBeFailure(line))).toEqual([bare]);
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
  it('are known', () => {
    expect(FAILURE_WORDS.filter((line) => !isFailureLine(line))).toEqual([]);
  });

  it('mean nothing in lines that only warn, count nothing or report what a tool does', () => {
    expect(HARMLESS_LINES.filter((line) => isFailureLine(line))).toEqual([]);
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

  const LINES = FRAMES.map(([line]) => line);

  it('names its place', () => {
    expect(sayAll(LINES, (line) => toText(toFrame(line)))).toEqual(Object.fromEntries(FRAMES));
  });

  it('is none that only quotes one, but for reports with addresses', () => {
    expect(LINES.filter((line) => toFrame(`see ${line}`) !== null && !line.includes(' 0x'))).toEqual([]);
  });
});

describe('the path that stands above places', () => {
  it('is known', () => {
    expect(
      sayAll(
        HEADERS.map(([line]) => line),
        (line) => toPlaceHeader(line) ?? '-',
      ),
    ).toEqual(Object.fromEntries(HEADERS));
  });

  it('has lines below it', () => {
    expect(
      sayAll(
        LINES_BELOW.map(([line]) => line),
        (line) => toSignText(recogniseBelow(line), line),
      ),
    ).toEqual(Object.fromEntries(LINES_BELOW));
  });
});
