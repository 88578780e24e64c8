import { OWN_CHECK_NAMES } from '../ci/own-checks.ts';
import { isSameLabel } from '../commands/labels.ts';
import { stripInvisible } from '../text/escape.ts';

/** Quotation marks and backticks that a word processor, a chat or a habit puts around a value. */
const QUOTES = /^["'`“”„«»‘’‚‹›]+|["'`“”„«»‘’‚‹›]+$/gu;
/** A login of GitHub, or a glob of logins; `_` stands in those of managed users. */
const LOGIN = /^[\w*?{},-]+(?:\[[Bb]ot\])?$/u;

/**
 * Why a text of a policy can never equal what it is meant for, or null: blanks at its ends, characters that nobody sees, quotation
 * marks that belong to the value. The reason names the nearest right value.
 */
export function findTextFault(text: string): string | null {
  if (stripInvisible(text) !== text)
    return withNear('holds characters that cannot be seen', stripInvisible(text).trim());
  if (text.trim() !== text) return withNear('begins or ends with white space', text.trim());
  const bare = text.replaceAll(QUOTES, '').trim();
  return bare === text ? null : withNear('has quotation marks that belong to the value', bare);
}

/** The same for the exact name of a check. */
export function findCheckNameFault(name: string): string | null {
  if (name.includes('*')) return 'is a glob, and only exact names are taken here';
  return findTextFault(name) ?? findOwnName(name);
}

/** The same for a glob of check names. */
export function findNameGlobFault(glob: string): string | null {
  const fault = findTextFault(glob);
  if (fault !== null) return fault;
  if (glob.startsWith('!')) return withNear('begins with `!`, and nothing can be taken out of a list', glob.slice(1));
  const plain = glob.replaceAll(/^\^|\$$/gu, '');
  if (plain !== glob) return withNear('is a regular expression, and globs are taken here', plain.replaceAll('.*', '*'));
  return findBraceFault(glob);
}

/** The same for a glob of logins. */
export function findLoginFault(glob: string): string | null {
  if (LOGIN.test(glob)) return findBraceFault(glob);
  const bare = stripInvisible(glob)
    .trim()
    .replaceAll(QUOTES, '')
    .trim()
    .replace(/^(?:!|@|https?:\/\/github\.com\/(?:apps\/)?|(?:app|apps)\/)+/iu, '')
    .replace(/\s*\[bot\]?$/iu, '[bot]');
  return withNear('is not a login', LOGIN.test(bare) ? bare : null);
}

/** Why two labels cannot steer Ratchet side by side, or null. */
export function findLabelFault(labels: {
  readonly enable: string | null;
  readonly hold: string | null;
}): string | null {
  if (labels.enable === null || !isSameLabel(labels.enable, labels.hold)) return null;
  return `${JSON.stringify(labels.enable)} is \`labels.hold\` too: one label cannot enable Ratchet and hold it`;
}

/** Why braces in a glob are plain characters, or null. */
export function findBraceFault(glob: string): string | null {
  const plain = glob.replaceAll(/\\./gu, '');
  return plain.split('{').length === plain.split('}').length ? null : 'has a brace without its other half';
}

function findOwnName(name: string): string | null {
  const own = [...OWN_CHECK_NAMES].find((known) => known.toLowerCase() === name.toLowerCase() && known !== name);
  return own === undefined ? null : `is ${JSON.stringify(own)}, and Ratchet's own check runs are left out`;
}

function withNear(why: string, near: string | null): string {
  return near === null || near === '' ? why : `${why}; write ${JSON.stringify(near)}`;
}
