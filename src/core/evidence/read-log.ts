import type { KeptLine } from './choose-lines.ts';
import { showLine, stripColours } from './clean-line.ts';
import { createFailureCollector } from './collect-failures.ts';
import { createLogDecoder } from './decode-log.ts';
import { createFailureGroups, findToldTest, toFailureKey } from './group-failures.ts';
import { createLineKeeper } from './keep-lines.ts';
import type { FailureGroup, FailureSign } from './log-failure.ts';
import { createFileNames } from './name-files.ts';
import { toOwnText } from './own-text.ts';
import { createStepReader, type LogStep } from './read-steps.ts';
import { mayBeFailure } from './recognise-line.ts';
import { createLineSplitter } from './split-lines.ts';
import { createWindowLimit } from './window-limit.ts';

/** What is kept of a log: enough for an excerpt of up to `maxBytes` bytes. */
export interface LogDigest {
  /** The last lines. They are the whole log if they start at index 0, but for lines that are repeated many times. */
  readonly tail: readonly KeptLine[];
  /** Lines around failures and steps, by index. */
  readonly kept: ReadonlyMap<number, string>;
  /** Distinct failures, in the order of the log. */
  readonly failures: readonly FailureGroup[];
  /** The steps that failed, in the order of the log. */
  readonly steps: readonly LogStep[];
  /** Names of files near failures, the likeliest first, and then those in notes of build tools. */
  readonly names: readonly string[];
}

/** Takes a log piece by piece. */
export interface LogReader {
  readonly push: (chunk: Uint8Array | string) => void;
  readonly end: () => LogDigest;
}

/** The lines that are kept around a failure. */
const LINES_BEFORE = 6;
const LINES_AFTER = 40;
/** A test may show its code, a difference, or both. */
const LINES_AFTER_TEST = 120;
/** pytest shows the code above its frame. */
const LINES_BEFORE_FRAME = 3;
/** A frame in code of the project names what is likely wrong. */
const FRAME_WEIGHT = 5;
/** What a failed step printed last. */
const STEP_LINES = 60;
/** A cleaned line is shorter than the raw one, and the smallest tail has a context. In UTF-16 code units. */
const MIN_LENGTH = 256 * 1024;

/** Reads a whole log at once. */
export function readLog(log: string, maxBytes: number): LogDigest {
  const reader = createLogReader(maxBytes);
  reader.push(log);
  return reader.end();
}

/** A reader whose memory depends on `maxBytes` and not on the length of the log. */
export function createLogReader(maxBytes: number): LogReader {
  const groups = createFailureGroups();
  const names = createFileNames();
  const windows = createWindowLimit();
  const steps = createStepReader();
  const collector = createFailureCollector(groups.add);
  const limits = { tailLength: maxBytes + 1, keptLength: Math.max(MIN_LENGTH, 4 * maxBytes) };
  const keeper = createLineKeeper(limits, () => toImportantLines(groups.list(), steps.failed()));
  // A name is worth more near a failure that is surely one, and most in its own line.
  let weight = 1;
  const name = (text: string): void => names.add(text, weight);

  /** Whether lines of the last failure are kept. */
  let isOpen = false;
  const takeFrame = (text: string, index: number): void => {
    names.add(text, FRAME_WEIGHT);
    if (!isOpen) return;
    keeper.keepNewest(LINES_BEFORE_FRAME, name);
    keeper.keepUntil(index + 1);
  };
  const takeSign = (sign: FailureSign, text: string, index: number): void => {
    isOpen = windows.opens(toFailureKey(sign));
    if (!isOpen) return;
    weight = sign.kind === 'mention' ? 1 : 3;
    names.add(text, weight + 1);
    keeper.keepNewest(LINES_BEFORE, name);
    keeper.keepUntil(index + (sign.kind === 'test' ? LINES_AFTER_TEST : LINES_AFTER));
  };

  let previous = '';
  const takeLine = (line: string): void => {
    if (line === previous) {
      keeper.add(line);
      return;
    }
    const isHinted = mayBeFailure(line);
    const text = isHinted ? toOwnText(line) : line;
    previous = text;
    const index = keeper.count();
    const seen = steps.take(text, index);
    if (seen === 'command') keeper.keepUntil(index + 1);
    const sign = collector.take({ text, index, step: steps.command(), isHinted });
    if (sign === 'frame') takeFrame(text, index);
    else if (sign !== null) takeSign(sign, text, index);
    if (seen === 'exit') {
      keeper.keepNewest(STEP_LINES, name);
      keeper.keepUntil(index + 1);
    }
    if (keeper.isKept(index)) name(text);
    else names.addNote(text);
    keeper.add(text);
  };

  const decoder = createLogDecoder();
  const splitter = createLineSplitter((raw) => showLine(raw, takeLine), keeper.skip);
  return {
    push: (chunk) => splitter.push(stripColours(typeof chunk === 'string' ? chunk : decoder.push(chunk))),
    end: () => {
      splitter.push(stripColours(decoder.end()));
      splitter.end();
      collector.end();
      return { ...keeper.end(), failures: groups.list(), steps: steps.failed(), names: names.list() };
    },
  };
}

/** The lines of steps and of the strongest failures. */
function* toImportantLines(failures: readonly FailureGroup[], steps: readonly LogStep[]): Generator<number> {
  for (const { from, exit } of steps) {
    yield from;
    yield exit;
  }
  const told = findToldTest(failures);
  for (let index = told?.from ?? 0; index < (told?.to ?? 0); index += 1) yield index;
  for (const reach of [4, STEP_LINES]) {
    for (const { failure } of failures) {
      if (reach > 4 && failure.kind === 'mention') continue;
      for (let index = failure.from - 2; index < failure.from + reach; index += 1) yield index;
    }
  }
}
