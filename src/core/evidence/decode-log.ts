/** Turns the bytes of a log into text, chunk by chunk. */
export interface LogDecoder {
  readonly push: (chunk: Uint8Array) => string;
  readonly end: () => string;
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** So many bytes show the encoding. */
const PROBE_BYTES = 256;
const LINE_FEED = 0x0a;
/** An undecoded rest of a line is kept up to this size. */
const MAX_REST_BYTES = 64 * 1024;

/**
 * A decoder of UTF-8, and of UTF-16 where a mark or its zero bytes show it. Lines that are not UTF-8 are read as Windows-1252, so
 * that nothing is lost that a tool of another encoding names.
 */
export function createLogDecoder(): LogDecoder {
  let decoder: LogDecoder | null = null;
  return {
    push: (chunk) => {
      decoder ??= createDecoder(toEncoding(chunk));
      return decoder.push(chunk);
    },
    end: () => decoder?.end() ?? '',
  };
}

function toEncoding(start: Uint8Array): Encoding {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  const probe = [...start.subarray(0, PROBE_BYTES)];
  const isZero = (odd: number): number => probe.filter((byte, index) => byte === 0 && index % 2 === odd).length;
  const [even, odd] = [isZero(0), isZero(1)];
  if (Math.min(even, odd) > 0 || Math.max(even, odd) <= probe.length / 4) return 'utf-8';
  return odd > 0 ? 'utf-16le' : 'utf-16be';
}

function createDecoder(encoding: Encoding): LogDecoder {
  if (encoding === 'utf-8') return createUtf8Decoder();
  const decoder = new TextDecoder(encoding);
  return { push: (chunk) => decoder.decode(chunk, { stream: true }), end: () => decoder.decode() };
}

/** Decodes whole lines, so that a line of another encoding can be decoded again. Only lines in two pieces are copied. */
function createUtf8Decoder(): LogDecoder {
  const rest = createRest();
  /** Decodes what is whole, and keeps the rest. */
  const decode = (bytes: Uint8Array, end: number): string => {
    const text = decodeLines(bytes.subarray(0, end));
    rest.replace(bytes.subarray(end));
    return text;
  };
  return {
    push: (chunk) => {
      if (rest.bytes().length === 0) return decode(chunk, toLineEnd(chunk));
      const start = chunk.indexOf(LINE_FEED) + 1;
      rest.add(start === 0 ? chunk : chunk.subarray(0, start));
      // The line that is open goes on for all of the chunk.
      if (start === 0) return decode(rest.bytes(), toCut(rest.bytes(), 0));
      const line = decodeLines(rest.bytes());
      const others = chunk.subarray(start);
      return line + decode(others, toLineEnd(others));
    },
    end: () => decodeLines(rest.bytes()),
  };
}

interface Rest {
  readonly bytes: () => Uint8Array;
  readonly add: (bytes: Uint8Array) => void;
  readonly replace: (bytes: Uint8Array) => void;
}

/** Bytes in a buffer that is used again: a new one for each chunk is garbage outside of the heap, which is collected late. */
function createRest(): Rest {
  let buffer = new Uint8Array();
  let length = 0;
  const add = (bytes: Uint8Array): void => {
    const needed = length + bytes.length;
    if (needed > buffer.length) {
      const larger = new Uint8Array(2 * needed);
      larger.set(buffer.subarray(0, length));
      buffer = larger;
    }
    buffer.set(bytes, length);
    length = needed;
  };
  return {
    bytes: () => buffer.subarray(0, length),
    add,
    replace: (bytes) => {
      length = 0;
      add(bytes);
    },
  };
}

/** Where to cut: behind the last line, or in a line that is too long to wait for its end. */
function toLineEnd(bytes: Uint8Array): number {
  return toCut(bytes, bytes.lastIndexOf(LINE_FEED) + 1);
}

/** The end of the last line, or before a character of what follows if that is too long to wait for its end. */
function toCut(bytes: Uint8Array, end: number): number {
  if (bytes.length - end <= MAX_REST_BYTES) return end;
  // The last character may not be whole. It begins with the last byte that continues none.
  const last = bytes.findLastIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
  return last > 0 ? last : bytes.length;
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const STRICT_UTF8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
const WINDOWS = new TextDecoder('windows-1252');

function decodeLines(bytes: Uint8Array): string {
  const text = UTF8.decode(bytes);
  if (!text.includes('\uFFFD')) return text;
  const lines: string[] = [];
  for (let from = 0; from <= bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from);
    const line = bytes.subarray(from, end === -1 ? bytes.length : end);
    lines.push(decodeLine(line));
    from = end === -1 ? bytes.length + 1 : end + 1;
  }
  return lines.join('\n');
}

/** A tool may have printed a replacement character itself. */
function decodeLine(bytes: Uint8Array): string {
  try {
    return STRICT_UTF8.decode(bytes);
  } catch {
    return WINDOWS.decode(bytes);
  }
}
