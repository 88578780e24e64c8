import { COMMAND_NAMES } from '../model/event.ts';

/** A line that begins with an address of Ratchet. */
export interface Addressed {
  /** Offset of the address in its line. */
  readonly at: number;
  /** Whether a greeting or marks stand before it: of a list, a quote, a heading, emphasis, a table. */
  readonly isDressed: boolean;
  /** Whether the address is not written as it should be: `/ratchet-enable`, a full-width slash. */
  readonly isLoose: boolean;
  /** Whether it is `@<slug>` and not `/ratchet`. */
  readonly isMention: boolean;
  /** The words after it. */
  readonly words: readonly string[];
}

/** Reads the address of a line; null if it does not begin with one. */
export type ReadAddress = (line: string) => Addressed | null;

/** Characters without width, which phones and copied texts leave behind. `\s` has the no-break and the ideographic space. */
const UNSEEN = String.raw`\u00AD\u061C\u200B-\u200F\u2060-\u2064\uFEFF`;
/** With which people begin a line to somebody. */
const GREETING = String.raw`(?:please|pls|plz|hi|hey|hello|ok|okay|thanks|bitte|danke|hallo|merci|svp|bonjour|hola|gracias|por favor|ciao|olá)(?=[\s,.!:;])[,.!:;]*`;
const DRESS = new RegExp(
  String.raw`^(?:${GREETING}|\[[ xX]\]|\[\^[^\]]{1,99}\]:|\d{1,9}[.)]|<[^<>]{1,99}>|:[a-z0-9_+\-]{1,40}:|[\s${UNSEEN}>*+#|_~\(\[\-"'“”„«»‘’‹›\x60$•–—\p{Extended_Pictographic}\u{1F3FB}-\u{1F3FF}\uFE0F])*`,
  'iu',
);
const BLANK = new RegExp(String.raw`^[\s${UNSEEN}]*$`, 'u');
const ENDS_UNSEEN = new RegExp(String.raw`^[${UNSEEN}]+|[${UNSEEN}]+$`, 'gu');

const KNOWN = String.raw`(?:${COMMAND_NAMES.join('|')})(?![\w/])`;
const BEGINS_KNOWN = new RegExp(`^${KNOWN}`, 'i');
/** What may stand between a right address and the blank after it. */
const EXACT_END = new RegExp(String.raw`^[,:，：、]?[${UNSEEN}]*(?=\s|$)`);
const JOINED_END = new RegExp(String.raw`^[\-_.:,=/，：、]+(?=${KNOWN})`, 'i');
const MENTION_END = new RegExp(String.raw`^(?:\[bot\])?[,:，：、]?\s*(?=${KNOWN})`, 'i');
/** Marks that close what those before the address opened. */
const CLOSERS = /[*_~`"'”’»)\]|\s]+$/u;
const CLOSED_END = /^[*_~`"'”’»)\]]{1,4}[,:]?(?=\s)/;

/**
 * Returns a function that reads addresses: `/ratchet` and `@<slug>`, in any case. GitHub's slugs are letters, digits and hyphens;
 * any other slug is ignored. Where marks stand before the address, or where it is loose, the name of a command has to follow:
 * otherwise it is prose about Ratchet.
 */
export function createAddressReader(slug: string | null): ReadAddress {
  const isCallable = slug !== null && /^[a-z0-9-]+$/i.test(slug);
  // No `u` flag, because with it `i` also matches look-alikes such as the Kelvin sign.
  const address = new RegExp(
    String.raw`^(?:(?<slash>/ratchet)|[/／⁄∕]{1,2} ?ratchet${isCallable ? `|(?<mention>@${slug})|＠${slug}` : ''})(?<after>.*)$`,
    'i',
  );
  return (line) => {
    const bare = line.replace(DRESS, '');
    const groups = address.exec(bare)?.groups;
    return groups === undefined ? null : readRest(line.slice(0, line.length - bare.length), groups);
  };
}

function readRest(prefix: string, groups: Readonly<Record<string, string | undefined>>): Addressed | null {
  const { slash, mention, after = '' } = groups;
  const isMention = mention !== undefined;
  const isLoose = (slash ?? mention) === undefined || !EXACT_END.test(after);
  const isDressed = !BLANK.test(prefix);
  const end = isLoose ? findLooseEnd(after, isMention) : EXACT_END;
  if (end === undefined) return null;
  const text = after.replace(end, '');
  const words = toWords(isDressed ? text.replace(CLOSERS, '') : text);
  const isProse = (isDressed || isLoose) && !BEGINS_KNOWN.test(words[0] ?? '');
  return isProse ? null : { at: prefix.length, isDressed, isLoose, isMention, words };
}

/** `@app-check` is another account, so after a mention a hyphen does not join the name of a command. */
function findLooseEnd(after: string, isMention: boolean): RegExp | undefined {
  return [isMention ? MENTION_END : JOINED_END, EXACT_END, CLOSED_END].find((end) => end.test(after));
}

/** Words between blanks of any kind, without the backslash of a hard line break. */
function toWords(text: string): readonly string[] {
  return text
    .replace(/\\$/u, '')
    .split(/\s+/u)
    .map((word) => word.replace(ENDS_UNSEEN, ''))
    .filter((word) => word !== '');
}
