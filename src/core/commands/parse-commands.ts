import { fromMarkdown } from 'mdast-util-from-markdown';
import type { Command } from '../model/event.ts';
import { findCommand, findNearestCommand } from './command-names.ts';
import { type OpenElements, toOpenElements } from './html-depth.ts';

/** Characters of a comment that are read. GitHub's own limit is the same. */
export const MAX_COMMENT_LENGTH = 65_536;
/** Commands of one comment that are read; later ones are ignored. */
export const MAX_COMMANDS = 10;
/**
 * Limits of the Markdown parser's work: a comment above one of them has no commands. They are nested quote and list markers
 * (all lines together), brackets and backticks, consecutive backticks, and lines.
 */
const MAX_NESTED = 200;
const MAX_BRACKETS = 1000;
const MAX_BACKTICKS = 40;
const MAX_LINES = 2000;
const MAX_ARGS = 20;
const MAX_WORD_LENGTH = 200;
const MAX_REASON_LENGTH = 500;

/** How people address Ratchet besides `/ratchet`. */
export interface CommandOptions {
  /** Slug of the App, for `@<slug> NAME`; null or omitted: only `/ratchet`. */
  readonly slug?: string | null;
}

/**
 * The commands of a comment, in order: `/ratchet NAME ARGS…` or `@<slug> NAME ARGS…` at the start of a line of plain paragraph
 * text. Code, quotes, lists, HTML and HTML comments hold examples or words of others, so they have no commands (T8). Never throws.
 */
export function parseCommands(body: string, options: CommandOptions = {}): readonly Command[] {
  const text = body.slice(0, MAX_COMMENT_LENGTH).replaceAll(/\r\n?/gu, '\n');
  const address = createAddress(options.slug ?? null);
  // Parsing Markdown is expensive, and hardly any comment has a line that could be a command.
  const lines = text.split('\n');
  if (!lines.some((line) => address.test(line)) || isIntricate(text, lines)) return [];
  return findPlainLines(text)
    .flatMap((line) => parseLine(line, address))
    .slice(0, MAX_COMMANDS);
}

/**
 * Matches an addressed line. GitHub's slugs are letters, digits and hyphens; any other slug is ignored. No `u` flag, because with
 * it `i` also matches look-alikes such as the Kelvin sign.
 */
function createAddress(slug: string | null): RegExp {
  const isCallable = slug !== null && /^[a-z0-9-]+$/i.test(slug);
  const names = isCallable ? `(?:/ratchet|@${slug})` : '/ratchet';
  return new RegExp(String.raw`^ {0,3}${names}(?=[ \t]|$)(?<rest>.*)$`, 'i');
}

/** Whether the Markdown could take the parser quadratic time: seconds for 64 KiB. */
function isIntricate(text: string, lines: readonly string[]): boolean {
  if (lines.length > MAX_LINES || (text.match(/[<[\]`]/gu)?.length ?? 0) > MAX_BRACKETS) return true;
  if (text.includes('`'.repeat(MAX_BACKTICKS + 1))) return true;
  let nested = 0;
  for (const line of lines) {
    const markers = /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)]))*/u.exec(line)?.[0].match(/[>*+.)-]/gu)?.length ?? 0;
    nested += Math.max(0, markers - 1);
  }
  return nested > MAX_NESTED;
}

function parseLine(line: string, address: RegExp): readonly Command[] {
  const rest = address.exec(line)?.groups?.['rest'];
  if (rest === undefined) return [];
  const words = rest.split(/[ \t]+/u).filter((word) => word !== '');
  const [written = '', ...args] = words.slice(0, MAX_ARGS + 1).map((word) => word.slice(0, MAX_WORD_LENGTH));
  const name = findCommand(written)?.name;
  if (name === undefined) return [{ name: 'unknown', written, nearest: findNearestCommand(written) }];
  return [{ name, args: name === 'rebaseline' ? toReason(words) : args }];
}

/** The words after the name as one argument; empty if there are none. */
function toReason(words: readonly string[]): readonly string[] {
  const reason = words.slice(1).join(' ').slice(0, MAX_REASON_LENGTH);
  return reason === '' ? [] : [reason];
}

/** Emphasis does not affect commands, and parsing its delimiters is the most expensive part. */
const WITHOUT_EMPHASIS = { extensions: [{ disable: { null: ['attention'] } }] };

/** Source lines that start in the text of a top-level paragraph, outside any open HTML element. */
function findPlainLines(text: string): readonly string[] {
  const starts: number[] = [];
  let open: OpenElements = [];
  for (const node of fromMarkdown(text, WITHOUT_EMPHASIS).children) {
    if (node.type === 'html') open = toOpenElements(open, node.value);
    if (node.type !== 'paragraph') continue;
    for (const child of node.children) {
      if (child.type === 'html') open = toOpenElements(open, child.value);
      if (child.type !== 'text' || open.length > 0) continue;
      starts.push(...findLineStarts(text, child.position?.start.offset, child.position?.end.offset));
    }
  }
  return starts.map((start) => text.slice(start, toLineEnd(text, start)));
}

/** Offsets of the lines of `text` whose first visible character is between `from` and `to`. */
function findLineStarts(text: string, from = 0, to = 0): readonly number[] {
  const first = text.lastIndexOf('\n', from - 1) + 1;
  const starts = text.slice(first, from).trim() === '' ? [first] : [];
  for (let end = text.indexOf('\n', from); end !== -1 && end < to; end = text.indexOf('\n', end + 1)) {
    starts.push(end + 1);
  }
  return starts;
}

function toLineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end;
}
