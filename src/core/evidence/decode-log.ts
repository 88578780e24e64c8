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
  let rest: Uint8Array = new Uint8Array();
  /** Decodes what is whole, and keeps the rest. */
  const decode = (bytes: Uint8Array): string => {
    const end = toLineEnd(bytes);
    rest = bytes.slice(end);
    return decodeLines(bytes.subarray(0, end));
  };
  return {
    push: (chunk) => {
      if (rest.length === 0) return decode(chunk);
      const start = chunk.indexOf(LINE_FEED) + 1;
      // The line that is open goes on for all of the chunk.
      if (start === 0) return decode(concat(rest, chunk));
      return decodeLines(concat(rest, chunk.subarray(0, start))) + decode(chunk.subarray(start));
    },
    end: () => decodeLines(rest),
  };
}

/** Where to cut: behind the last line, or in a line that is too long to wait for its end, before a character. */
function toLineEnd(bytes: Uint8Array): number {
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  if (bytes.length - end <= MAX_REST_BYTES) return end;
  // The last character may not be whole. It begins with the last byte that continues none.
  const last = bytes.findLastIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
  return last > 0 ? last : bytes.length;
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
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
