import { isJsonObject, type JsonObject, parseJsonObject } from './parse-json-object.ts';

/** The top-level JSON objects of a text, in order. */
export type FoundObjects =
  | { readonly kind: 'found'; readonly objects: readonly JsonObject[] }
  | { readonly kind: 'too_deep' }
  /** The text ends in the middle of a value. */
  | { readonly kind: 'cut_off' };

/** The result of scanning where a JSON value may start. */
type Scan =
  | { readonly kind: 'json'; readonly end: number }
  | { readonly kind: 'no_json' }
  | { readonly kind: 'too_deep' }
  | { readonly kind: 'cut_off' };

/** What may come next inside an object or array. */
type Expect = 'key' | 'key_or_end' | 'colon' | 'value' | 'value_or_end' | 'comma_or_end';

/** One token: where it ends, and what may follow. */
type Token = { readonly end: number; readonly expect: Expect } | 'no_json' | 'cut_off';

const PARTIAL_ESCAPE = /^\\(?:u[0-9a-fA-F]{0,3})?$/;
const PARTIAL_SCALAR = /^[\w.+-]{1,24}$/;

/** The text, and the patterns to read it with. They are created for each text, because a sticky pattern stores a position. */
interface Source {
  readonly text: string;
  readonly space: RegExp;
  readonly stringBody: RegExp;
  readonly scalar: RegExp;
}

function toSource(text: string): Source {
  return {
    text,
    space: /[ \t\r\n]*/y,
    stringBody: /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y,
    scalar: /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y,
  };
}

/**
 * Finds JSON objects between other text: log lines, colour codes, Markdown fences. The object itself is level 1 of `maxDepth`. Never
 * throws. Takes time linear in the length.
 */
export function findJsonObjects(text: string, maxDepth: number): FoundObjects {
  const source = toSource(text);
  const objects: JsonObject[] = [];
  for (let at = findOpening(text, 0); at !== -1; ) {
    const scan = scanValue(source, at, maxDepth);
    if (scan.kind === 'too_deep' || scan.kind === 'cut_off') return scan;
    if (scan.kind === 'json' && text[at] === '{')
      objects.push(...[parseJsonObject(text.slice(at, scan.end))].filter(isJsonObject));
    at = findOpening(text, scan.kind === 'json' ? scan.end : at + 1);
  }
  return { kind: 'found', objects };
}

function findOpening(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{' || text[at] === '[') return at;
  }
  return -1;
}

/** Scans one JSON object or array. It uses no recursion, so deep nesting cannot exhaust the stack. */
function scanValue(source: Source, start: number, maxDepth: number): Scan {
  const { text } = source;
  const closings: string[] = [];
  let expect: Expect = 'value';
  let at = start;
  do {
    at = endOf(source.space, text, at);
    const char = text.charAt(at);
    if (char === '') return { kind: 'cut_off' };
    if (isOpening(char, expect)) {
      closings.push(char === '{' ? '}' : ']');
      if (closings.length > maxDepth) return { kind: 'too_deep' };
      expect = char === '{' ? 'key_or_end' : 'value_or_end';
      at += 1;
    } else if (expect.endsWith('_or_end') && char === closings.at(-1)) {
      closings.pop();
      expect = 'comma_or_end';
      at += 1;
    } else {
      const token = scanToken(source, at, expect, closings.at(-1) === '}');
      if (typeof token === 'string') return { kind: token };
      at = token.end;
      expect = token.expect;
    }
  } while (closings.length > 0);
  return { kind: 'json', end: at };
}

function isOpening(char: string, expect: Expect): boolean {
  return (char === '{' || char === '[') && (expect === 'value' || expect === 'value_or_end');
}

function scanToken(source: Source, at: number, expect: Expect, inObject: boolean): Token {
  const { text } = source;
  if (expect === 'colon') return text[at] === ':' ? { end: at + 1, expect: 'value' } : 'no_json';
  if (expect === 'comma_or_end') {
    return text[at] === ',' ? { end: at + 1, expect: inObject ? 'key' : 'value' } : 'no_json';
  }
  if (expect === 'key' || expect === 'key_or_end') return scanString(source, at, 'colon');
  return text[at] === '"' ? scanString(source, at, 'comma_or_end') : scanScalar(source, at);
}

function scanString({ text, stringBody }: Source, at: number, expect: Expect): Token {
  const end = endOf(stringBody, text, at);
  if (end === at) return 'no_json';
  if (text[end] === '"') return { end: end + 1, expect };
  return end === text.length || PARTIAL_ESCAPE.test(text.slice(end, end + 8)) ? 'cut_off' : 'no_json';
}

function scanScalar({ text, scalar }: Source, at: number): Token {
  const end = endOf(scalar, text, at);
  if (end > at) return { end, expect: 'comma_or_end' };
  return PARTIAL_SCALAR.test(text.slice(at, at + 32)) ? 'cut_off' : 'no_json';
}

/** Where a match of a sticky pattern at `at` ends; `at` if there is none. */
function endOf(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}
