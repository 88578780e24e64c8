import type { Command, CommandName } from '../model/event.ts';
import { findCommand, findNearestCommand } from './command-names.ts';
import { parseCheckArgs } from './parse-check-args.ts';

const MAX_ARGS = 20;
const MAX_WORD_LENGTH = 200;
const MAX_REASON_LENGTH = 500;

/** What the words after an address say. */
export type Reading =
  | {
      readonly kind: 'read';
      readonly command: Exclude<Command, { name: 'unread' }>;
      /** Whether the line says nothing beyond the command: only marks and courtesies may follow it. */
      readonly isAlone: boolean;
    }
  | { readonly kind: 'unread'; readonly why: string };

/** Commands that hold Ratchet back. They are carried out when in doubt. */
const HOLDING: ReadonlySet<string> = new Set(['stop', 'pause', 'disable'] satisfies readonly CommandName[]);
/** Commands that only answer. */
const ANSWERING: ReadonlySet<string> = new Set(['status', 'why', 'help'] satisfies readonly CommandName[]);

/** Words that change nothing about what is asked. */
const COURTESIES: ReadonlySet<string> = new Set(
  (
    'please pls plz thanks thank you thx ty cheers now again bitte danke merci svp gracias favor por obrigado obrigada grazie ' +
    'dank bedankt alsjeblieft proszę dzięki dziękuję пожалуйста спасибо お願いします ありがとう 请 謝謝 谢谢 부탁합니다 감사합니다'
  ).split(' '),
);
/** Marks that end a sentence, smileys and emoji. A question mark is none of them. */
const MARKS =
  /^(?:[.!,;:…。！，、()\-]|\p{Extended_Pictographic}|[\u{1F3FB}-\u{1F3FF}\uFE0F\u200D]|:[a-z0-9_+\-]{1,40}:)+$/u;
const TRAILING_MARKS = /(?:[.!,;:…。！，、]|\p{Extended_Pictographic}|[\u{1F3FB}-\u{1F3FF}\uFE0F\u200D])+$/u;
/** Dashes that keyboards and mail programs make of `--` or `-`. */
const LONG_DASH = /^[‐‑‒–—―−﹣－]{1,2}(?=[a-z])/iu;
const QUOTED = /^(?:`(?<code>[^`]+)`|["“”„](?<double>[^"“”„]+)["“”]|['‘’](?<single>[^'‘’]+)['‘’])$/u;

/** Whether a command holds Ratchet back, so that it is carried out when in doubt. */
export function isHolding(name: Command['name']): boolean {
  return HOLDING.has(name);
}

/**
 * Reads the words after an address. Commands that hold Ratchet back, or that only answer, are read whatever follows. All others may
 * launch something, so a word that is not known voids them; `check` takes paths, `rebaseline` a reason, `answer` a text.
 */
export function readWords(words: readonly string[]): Reading {
  const first = words.findIndex((word) => !isCourtesy(word));
  const [written = '', ...rest] = first === -1 ? words : words.slice(first);
  const tolerant = findTolerant(written);
  if (tolerant !== null) return read({ name: tolerant, args: toArgs(rest) }, isAlone(written, rest));
  const name = findCommand(written.replace(TRAILING_MARKS, ''))?.name;
  if (name === undefined) return read(toUnknown(written), false);
  if (name === 'rebaseline' || name === 'answer') return read({ name, args: toReason(rest) }, false);
  if (name === 'check') return readCheck(rest);
  const strange = rest.find((word) => !isCourtesy(word));
  if (strange !== undefined) return { kind: 'unread', why: toWhy(name, strange) };
  return read({ name, args: toArgs(rest) }, true);
}

function read(command: Extract<Reading, { kind: 'read' }>['command'], isAlone: boolean): Reading {
  return { kind: 'read', command, isAlone };
}

/** The name that a word begins with, if nothing after it can void the command: `stop!`, `"stop"`, `status?`. */
function findTolerant(written: string): CommandName | null {
  const name = findCommand(
    /^[^\p{L}\p{N}]*(?<name>[a-z]+)(?![\p{L}\p{N}_])/iu.exec(written)?.groups?.['name'] ?? '',
  )?.name;
  return name !== undefined && (HOLDING.has(name) || ANSWERING.has(name)) ? name : null;
}

function isAlone(written: string, rest: readonly string[]): boolean {
  return /^[a-z]+$/iu.test(written.replace(TRAILING_MARKS, '')) && rest.every(isCourtesy);
}

function isCourtesy(word: string): boolean {
  return MARKS.test(word) || COURTESIES.has(word.replace(TRAILING_MARKS, '').toLowerCase());
}

function toUnknown(written: string): Extract<Command, { name: 'unknown' }> {
  const short = written.slice(0, MAX_WORD_LENGTH);
  return { name: 'unknown', written: short, nearest: findNearestCommand(short) };
}

function readCheck(rest: readonly string[]): Reading {
  const args = toArgs(rest.filter((word) => !isCourtesy(word)).map(toPlainWord));
  const parsed = parseCheckArgs(args);
  return parsed.kind === 'invalid' ? { kind: 'unread', why: parsed.why } : read({ name: 'check', args }, true);
}

/** The word as it was meant before a keyboard or a mail program dressed it up. */
function toPlainWord(word: string): string {
  const { code, double, single } = QUOTED.exec(word)?.groups ?? {};
  return (code ?? double ?? single ?? word).replace(LONG_DASH, '--');
}

function toWhy(name: CommandName, strange: string): string {
  if (/^[/@]/u.test(strange)) return 'each command needs a line of its own';
  if (/[?？]$/u.test(strange)) return 'it is a question';
  return `"${name}" takes nothing else, and "${strange.slice(0, MAX_WORD_LENGTH)}" is not known`;
}

function toArgs(words: readonly string[]): readonly string[] {
  return words.slice(0, MAX_ARGS).map((word) => word.slice(0, MAX_WORD_LENGTH));
}

/** The words as one argument; empty if there are none. */
function toReason(words: readonly string[]): readonly string[] {
  const reason = words.join(' ').slice(0, MAX_REASON_LENGTH);
  return reason === '' ? [] : [reason];
}
