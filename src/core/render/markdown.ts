import type { Sha } from '../model/ids.ts';
import { toInlineCode } from '../text/escape.ts';

const SHORT_SHA_LENGTH = 10;

/** Blocks of text with an empty line between them. Empty blocks are left out. */
export function toParagraphs(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n');
}

/** A title above a list; empty if the list is. */
export function toSection(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, '', ...lines].join('\n');
}

/** Markdown that is shown on demand. `summary` is HTML. */
export function toDetails(summary: string, markdown: string): string {
  return `<details><summary>${summary}</summary>\n\n${markdown}\n\n</details>`;
}

/** The start of a commit's id. */
export function toShortSha(sha: Sha): string {
  return toInlineCode(sha.slice(0, SHORT_SHA_LENGTH));
}

/** Longest URL that is made a link. Real ones are far shorter. */
const MAX_URL_LENGTH = 500;

/** A check's name, as a link to its page if it has a usable one. */
export function toLinkedName(name: string, url: string | null): string {
  const shown = toInlineCode(name);
  const safe =
    url !== null &&
    url.length <= MAX_URL_LENGTH &&
    /^https?:\/\/[\w.-]+(?::\d+)?\/[!#$%&'()*+,\-./:;=?@\w~]*$/u.test(url);
  return safe ? `[${shown}](<${url}>)` : shown;
}

export function toCommitLink(sha: Sha, url: string): string {
  return `[${toShortSha(sha)}](<${url}>)`;
}
