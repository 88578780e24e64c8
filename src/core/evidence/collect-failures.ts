import type { FailureGroup, FailureSign, LogFailure } from './log-failure.ts';
import { type Frame, toFrame } from './recognise-exceptions.ts';
import { recogniseLine, stripPrefixes } from './recognise-line.ts';
import { recogniseBelow, toPlaceHeader } from './recognise-places.ts';

/** A line of a cleaned log. */
export interface LogLine {
  readonly text: string;
  readonly index: number;
  /** The command that printed it. */
  readonly step: string | null;
  /** Whether `mayBeFailure` says so. */
  readonly isHinted: boolean;
}

/** Joins the lines of a log to failures: a test with its assertion and frames, an exception with its causes. */
export interface FailureCollector {
  /** Takes the next line. Returns what it says by itself if it begins a failure, or whether it is a frame of the project's code. */
  readonly take: (line: LogLine) => FailureSign | 'frame' | null;
  readonly end: () => void;
}

/** A failure whose lines are still read. */
interface OpenFailure {
  readonly kind: FailureSign['kind'];
  readonly sign: FailureSign;
  readonly step: string | null;
  readonly from: number;
  readonly to: number;
  readonly message: string;
  /** Whether the message is only the line that names the test, so that an assertion replaces it. */
  readonly isBare: boolean;
  readonly place: Pick<FailureSign, 'path' | 'line' | 'column'>;
  /** The lines of the message and of the place. */
  readonly messageAt: number;
  readonly placeAt: number;
  /** Whether a better frame may replace the place. */
  readonly isPlaceWeak: boolean;
  /** The lines of frames in the project's code. */
  readonly frames: readonly number[];
  /** pytest shows the code of each frame, so the frames of a test are far apart. Only what it marks is its message. */
  readonly isBlock: boolean;
}

/** An assertion or a frame stands so close below a failure that it belongs to. In lines. */
const REACH: Readonly<Record<FailureSign['kind'], number>> = { test: 20, place: 3, exception: 10, exit: 0, mention: 2 };

const BLOCK_REACH = 150;
/** What ends a test of pytest: another section, what the test printed, and a test that did not fail. */
const PYTEST_END = /^(?:={3,}|-{3,}) |^[^\s:]+\.py::\S.{0,200} (?:PASSED|SKIPPED|XFAIL|xfail)\b/u;
/** Of the frames of one failure, the first ones and the last ones are shown. */
const MAX_FRAMES = 6;
const FIRST_FRAMES = 2;

/** Where the lines of a failure are that say the most. */
export type TellingLines = Pick<FailureGroup, 'lines' | 'frames'>;

/** Calls `emit` with each failure when its last line was read. */
export function createFailureCollector(emit: (failure: LogFailure, at: TellingLines) => void): FailureCollector {
  let open: OpenFailure | null = null;
  let header: Header = null;
  const close = (): void => {
    if (open !== null) {
      const lines = [...new Set([open.from, open.messageAt, open.placeAt])];
      emit(toFailure(open), { lines, frames: open.frames });
    }
    open = null;
  };
  return {
    take: (line) => {
      const { text, index, step } = line;
      if (open !== null && isBeyond(open, line)) close();
      const sign = readSign(line, header);
      if (sign === null || sign.path === null) header = toHeader(text, index, header);
      const joined = open !== null && mayJoin(open, line) ? join(open, { text, index, sign }) : null;
      if (joined !== null) {
        const isFrame = joined.frames.at(-1) === index;
        open = joined;
        return isFrame ? 'frame' : null;
      }
      if (sign === null) return null;
      close();
      open = begin(sign, index, step);
      return sign;
    },
    end: close,
  };
}

function isBeyond({ to, kind, sign, isBlock }: OpenFailure, { index, text }: LogLine): boolean {
  return index - to > (isBlock ? BLOCK_REACH : REACH[kind]) || (sign.tool === 'pytest' && PYTEST_END.test(text));
}

/** Most lines of a block are code, and frames of pytest are hinted. */
function mayJoin({ isBlock }: OpenFailure, { isHinted }: LogLine): boolean {
  return !isBlock || isHinted;
}

type Header = { readonly path: string; readonly index: number } | null;

/** A path alone on a line counts for what is below it, until an empty line or another path. */
function toHeader(line: string, index: number, header: Header): Header {
  if (line === '') return header !== null && index === header.index + 1 ? header : null;
  const path = toPlaceHeader(line.startsWith('[') ? stripPrefixes(line).text : line);
  return path === null ? header : { path, index };
}

function readSign({ text, isHinted }: LogLine, header: Header): FailureSign | null {
  const below = header === null ? null : toBelow(text, header.path);
  return below ?? (isHinted ? recogniseLine(text) : null);
}

function toBelow(line: string, path: string): FailureSign | null {
  const sign = recogniseBelow(stripPrefixes(line).text);
  return sign === null ? null : { ...sign, path };
}

function begin(sign: FailureSign, index: number, step: string | null): OpenFailure {
  const { kind, path, line, column, message, testId } = sign;
  const isBare = kind === 'test' ? testId === null || message.includes(testId) : message.startsWith('Traceback');
  const place = { path, line, column };
  const at = { from: index, to: index + 1, messageAt: index, placeAt: index, frames: [] };
  const isBlock = kind === 'test' && sign.tool === 'pytest' && path === null;
  return { kind, sign, step, ...at, message, isBare, place, isPlaceWeak: line === null, isBlock };
}

interface NextLine {
  readonly text: string;
  readonly index: number;
  readonly sign: FailureSign | null;
}

/** The open failure with a line that belongs to it; null if the line does not. */
function join(open: OpenFailure, { text: line, index, sign }: NextLine): OpenFailure | null {
  if (open.kind === 'exit' || open.kind === 'mention') return null;
  const { text } = stripPrefixes(line);
  const frame = toFrame(text);
  if (frame !== null && isOfFrame(open, sign)) return addFrame(open, frame, index);
  if (sign === null || !belongs(open, sign, text)) return null;
  if (open.isBlock && !text.startsWith('E ')) return open;
  const { path, line: at, column } = sign;
  const place =
    open.isPlaceWeak && path !== null ? { place: { path, line: at, column }, placeAt: index, isPlaceWeak: false } : {};
  const message = open.isBare ? { message: sign.message, messageAt: index, isBare: false } : {};
  return { ...open, to: index + 1, ...place, ...message };
}

/** A line that is a frame may also look like a place of a compiler. Below a test or an exception it is a frame. */
function isOfFrame(open: OpenFailure, sign: FailureSign | null): boolean {
  if (open.kind === 'place') return open.sign.tool === 'rustc';
  return (
    sign === null || sign.kind === 'mention' || (sign.kind === 'place' && sign.rule === null && sign.tool === null)
  );
}

function belongs(open: OpenFailure, sign: FailureSign, text: string): boolean {
  if (open.isBlock) return sign.kind !== 'test' && sign.kind !== 'exit';
  if (open.kind === 'test') {
    if (sign.kind === 'exception' || sign.kind === 'mention') return true;
    return sign.kind === 'place' && /^\s|(?:Error|Exception|Failed)\b/u.test(text);
  }
  if (open.kind !== 'exception') return false;
  return sign.kind === 'exception' && (open.isBare || /^\s*(?:Caused by|Wrapped by|Suppressed|--->)/u.test(text));
}

function addFrame(open: OpenFailure, frame: Frame, index: number): OpenFailure {
  const isBetter =
    open.place.path === null || (open.isPlaceWeak && !frame.isForeign) || (frame.isLastBest && !frame.isForeign);
  const { path, line, column } = frame;
  const place = isBetter ? { place: { path, line, column }, placeAt: index, isPlaceWeak: frame.isForeign } : {};
  const message =
    open.isBare && frame.message !== null ? { message: frame.message, messageAt: index, isBare: false } : {};
  const frames = frame.isForeign ? open.frames : addIndex(open.frames, index);
  const kind = open.sign.tool === 'rustc' ? 'place' : open.kind;
  return { ...open, kind, frames, to: index + 1, ...place, ...message };
}

function addIndex(frames: readonly number[], index: number): readonly number[] {
  return frames.length < MAX_FRAMES
    ? [...frames, index]
    : [...frames.slice(0, FIRST_FRAMES), ...frames.slice(FIRST_FRAMES + 1), index];
}

function toFailure({ kind, sign, step, from, to, message, place }: OpenFailure): LogFailure {
  return { ...sign, kind, ...place, message: message.trim(), step, from, to };
}
