import type { Command } from '../model/event.ts';
import { type Addressed, createAddressReader, type ReadAddress } from './address.ts';
import { findMailTail } from './find-mail-tail.ts';
import { type Place, parsePlaces } from './parse-places.ts';
import { isHolding, type Reading, readWords } from './read-words.ts';

/** Characters of a comment that are read. GitHub's own limit is the same. */
export const MAX_COMMENT_LENGTH = 65_536;
/** Addressed lines of one comment that are read. Of later ones, only the first that holds Ratchet back is carried out. */
export const MAX_COMMANDS = 10;
/**
 * Limits of the Markdown parser's work. In a comment above one of them, places are doubtful. They are nested quote and list
 * markers (all lines together); brackets, backticks and tildes; consecutive backticks; pipes; and lines.
 */
const MAX_NESTED = 200;
const MAX_BRACKETS = 1000;
const MAX_BACKTICKS = 40;
const MAX_PIPES = 5000;
const MAX_LINES = 2000;
/** Addressed lines that are looked at: examples in code are among them, and are not counted above. */
const MAX_ADDRESSED = 200;
/** Longest part of a line that an answer quotes. */
const MAX_LINE_LENGTH = 200;

/** How people address Ratchet besides `/ratchet`. */
export interface CommandOptions {
  /** Slug of the App, for `@<slug> NAME`; null or omitted: only `/ratchet`. */
  readonly slug?: string | null;
}

/** An addressed line, and what it asks for. */
export interface ReadLine {
  readonly line: string;
  readonly command: Command;
}

/**
 * The commands of a comment, in order, among them `unknown` and `unread` for lines that get an answer only: see `readComment`.
 */
export function parseCommands(body: string, options: CommandOptions = {}): readonly Command[] {
  return readComment(body, options).map(({ command }) => command);
}

/**
 * Reads the lines that address Ratchet: `/ratchet NAME ARGS…` or `@<slug> NAME ARGS…` at the start of a line. Code, quotes and HTML
 * comments hold examples or words of others, so their lines address nobody (T8). Every other addressed line is carried out, or
 * `unread` with the reason. Where it is doubtful that a line is meant, only commands that hold Ratchet back are carried out. Never
 * throws.
 */
export function readComment(body: string, { slug = null }: CommandOptions = {}): readonly ReadLine[] {
  const text = body.slice(0, MAX_COMMENT_LENGTH).replaceAll(/\r\n?/gu, '\n');
  const lines = text.split('\n');
  const found = findAddressed(lines, createAddressReader(slug));
  // Parsing Markdown is expensive, and hardly any comment has a line that could be a command.
  if (found.length === 0) return [];
  const toPlace = isIntricate(text, lines) ? () => INTRICATE : createPlaces(text, lines);
  return bound(found.flatMap((line) => readLine(line, toPlace(line))));
}

/** An addressed line of a comment. */
interface Line extends Addressed {
  readonly line: string;
  /** Number of the line, from 0, and the offset where it starts. */
  readonly index: number;
  readonly start: number;
  /** Whether the line above it is empty. */
  readonly isFirst: boolean;
}

const INTRICATE: Place = { kind: 'doubtful', why: 'the comment is too long or too nested to be read safely' };
const BELOW_MAIL: Place = { kind: 'void', why: 'it is below a quoted mail' };
const DRESSED: Place = { kind: 'doubtful', why: 'something stands before it on its line' };
const LOOSE: Place = { kind: 'doubtful', why: 'a command is written with "/ratchet", a space and its name' };
const NOT_ALONE = 'each command needs a line of its own';
const TOO_MANY = `only the first ${String(MAX_COMMANDS)} lines for Ratchet in a comment are read`;

function findAddressed(lines: readonly string[], readAddress: ReadAddress): readonly Line[] {
  const found: Line[] = [];
  let start = 0;
  let isFirst = true;
  for (const [index, line] of lines.entries()) {
    const addressed = found.length < MAX_ADDRESSED ? readAddress(line) : null;
    if (addressed !== null) found.push({ ...addressed, line, index, start, isFirst });
    start += line.length + 1;
    isFirst = line.trim() === '';
  }
  return found;
}

/** Returns a function that tells where a line stands. Lines have to ascend. */
function createPlaces(text: string, lines: readonly string[]): (line: Line) => Place {
  const places = parsePlaces(text);
  const tail = findMailTail(lines, (offset) => !places.isCode(offset)) ?? lines.length;
  return ({ index, start, at, isDressed, isLoose }) => {
    const place = places.placeOf(start, start + at);
    if (place.kind === 'foreign') return place;
    if (index >= tail) return BELOW_MAIL;
    if (place.kind !== 'own') return place;
    if (isDressed) return DRESSED;
    return isLoose ? LOOSE : place;
  };
}

function readLine({ line: written, words, ...address }: Line, place: Place): readonly ReadLine[] {
  if (place.kind === 'foreign') return [];
  const line = written.trim();
  const unread = (why: string): ReadLine => ({
    line,
    command: { name: 'unread', line: line.slice(0, MAX_LINE_LENGTH), why },
  });
  const reading = readWords(words);
  if (reading.kind === 'unread') return [unread(reading.why)];
  const { command } = reading;
  if (command.name === 'unknown') return isProse(address) ? [] : [{ line, command }];
  if (place.kind !== 'own' && !isMeant(reading, place, address)) return [unread(place.why)];
  const isSecond = command.args.some((word) => /^\/ratchet$/i.test(word));
  return isSecond ? [{ line, command }, unread(NOT_ALONE)] : [{ line, command }];
}

/** Mail programs break lines anywhere, so a mention in prose may begin one. */
function isProse({ isMention, isFirst }: Pick<Line, 'isMention' | 'isFirst'>): boolean {
  return isMention && !isFirst;
}

/** When in doubt, only a command that holds Ratchet back is meant; behind marks, only if the line says nothing else. */
function isMeant(
  { command, isAlone }: Extract<Reading, { kind: 'read' }>,
  { kind }: Place,
  { isDressed }: Pick<Line, 'isDressed'>,
): boolean {
  return kind === 'doubtful' && isHolding(command.name) && (isAlone || !isDressed);
}

/** The first lines; of the others the first that holds Ratchet back, and that there are more. */
function bound(lines: readonly ReadLine[]): readonly ReadLine[] {
  const rest = lines.slice(MAX_COMMANDS);
  const [first] = rest;
  if (first === undefined) return lines;
  const { line } = first;
  const holding = rest.filter(({ command }) => isHolding(command.name)).slice(0, 1);
  return [...lines.slice(0, MAX_COMMANDS), ...holding, { line, command: { name: 'unread', line, why: TOO_MANY } }];
}

/** Whether the Markdown could take the parser quadratic time: seconds for 64 KiB. */
function isIntricate(text: string, lines: readonly string[]): boolean {
  const count = (mark: RegExp): number => text.match(mark)?.length ?? 0;
  if (lines.length > MAX_LINES || count(/[<[\]`~]/gu) > MAX_BRACKETS || count(/\|/gu) > MAX_PIPES) return true;
  if (text.includes('`'.repeat(MAX_BACKTICKS + 1))) return true;
  let nested = 0;
  for (const line of lines) {
    const markers = /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)]))*/u.exec(line)?.[0].match(/[>*+.)-]/gu)?.length ?? 0;
    nested += Math.max(0, markers - 1);
  }
  return nested > MAX_NESTED;
}
