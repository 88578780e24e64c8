import { findHint } from './recognise-line.ts';

/** Takes a log piece by piece and gives its lines, each without its line feed. */
export interface LineSplitter {
  readonly push: (text: string) => void;
  readonly end: () => void;
}

/** A longer line is read by its start, the first place in it that may name a failure, and its end. In UTF-16 code units. */
const MAX_LENGTH = 8192;
const LINE_FEED = 10;
const START = 2048;
const END = 1024;
const AROUND = 1024;
const BEFORE = 256;
const OVERLAP = 256;

/** Of equal raw lines in a row so many are given. */
const MAX_EQUAL = 40;

/**
 * Calls `take` for each line, but `skip` for what follows many equal ones. Memory is bounded for a line of any length.
 */
export function createLineSplitter(take: (raw: string) => void, skip: (lines: number) => void): LineSplitter {
  let previous: string | null = null;
  let equal = 0;
  const give = (raw: string): void => {
    equal = raw === previous ? equal + 1 : 0;
    if (equal < MAX_EQUAL) take(raw);
    else skip(1);
    previous = raw;
  };
  const open = createOpenLine(give);
  return {
    push: (text) => {
      let from = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
        if (open.isEmpty() && end - from <= MAX_LENGTH) give(text.slice(from, end));
        else open.close(text.slice(from, end));
        from = end + 1;
        if (equal < MAX_EQUAL || previous !== '') continue;
        const next = findOther(text, from);
        skip(next - from);
        from = next;
      }
      if (from < text.length) open.add(text.slice(from));
    },
    end: () => {
      if (!open.isEmpty()) open.close('');
    },
  };
}

/** Where something other than a line feed follows; the length if nothing does. */
function findOther(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === LINE_FEED) at += 1;
  return at;
}

interface OpenLine {
  readonly isEmpty: () => boolean;
  readonly add: (piece: string) => void;
  /** Gives the line, which ends with this piece. */
  readonly close: (piece: string) => void;
}

/** A line whose end was not read yet. */
function createOpenLine(give: (raw: string) => void): OpenLine {
  let open = '';
  let long: LongLine | null = null;
  const add = (piece: string): void => {
    if (long !== null) long.push(piece);
    else if (open.length + piece.length <= MAX_LENGTH) open += piece;
    else {
      long = createLongLine(open + piece);
    }
  };
  return {
    isEmpty: () => open === '' && long === null,
    add,
    close: (piece) => {
      add(piece);
      const raw = long === null ? open : long.end();
      open = '';
      long = null;
      give(raw);
    },
  };
}

interface LongLine {
  readonly push: (piece: string) => void;
  readonly end: () => string;
}

/** Keeps the start, the first part behind it that may name a failure, and the end. */
function createLongLine(first: string): LongLine {
  const start = first.slice(0, START);
  let found: string | null = null;
  let end = '';
  const push = (text: string): void => {
    if (found !== null) found += text.slice(0, AROUND - found.length);
    // A hint may stand in two pieces. Copying the whole piece for it would double the work.
    found ??= findPart(`${end.slice(-OVERLAP)}${text.slice(0, AROUND)}`) ?? findPart(text);
    end = text.length >= END ? text.slice(-END) : `${end}${text}`.slice(-END);
  };
  push(first.slice(START));
  return {
    push,
    end: () => [start, ...(found === null || end.includes(found) ? [] : [found]), end].join(' … '),
  };
}

/** The part of a text that may name a failure; null if none does. It is shorter than others only where the text ends. */
function findPart(text: string): string | null {
  const at = findHint(text);
  if (at === -1) return null;
  const from = Math.max(0, at - BEFORE);
  return text.slice(from, from + AROUND);
}
