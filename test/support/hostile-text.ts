import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { expect } from 'vitest';

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

/** Every node of the text, read as Markdown. */
export function nodesOf(markdown: string): readonly Node[] {
  const all: Node[] = [];
  const pending: Node[] = [fromMarkdown(markdown)];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    all.push(node);
    pending.push(...(node.children ?? []));
  }
  return all;
}

/** Text as GitHub would look at it for mentions, references and addresses. */
export function proseOf(markdown: string): string {
  return nodesOf(markdown)
    .filter(({ type }) => type === 'text')
    .map(({ value }) => value ?? '')
    .join('');
}

/** What GitHub makes live in prose. */
export const LIVE = /@\w|#\d|\bGH-\d|https?:\/\/|\bwww\./iu;
/** The same, within one piece of text: emoji, and ids of commits. */
const LIVE_IN_PIECE = /:(?!\d\d:)[\w+-]+:|(?<!\w)[\da-f]{40}(?!\w)/iu;

/** Pieces of hostile text (T55): mentions, references, links, images, HTML, fences, invisible characters. */
export const HOSTILE = [
  '@octocat',
  'Fixes #1',
  'acme/widget#12',
  'GH-12',
  'acme/widget@4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  ':heart_eyes:',
  'https://evil.example/x',
  'www.evil.example',
  'a@b.example',
  '![x](https://evil.example/p.png)',
  '[x](https://evil.example)',
  '[x][y]',
  '[y]: https://evil.example',
  '<https://evil.example>',
  '<img src=x>',
  '<!-- x -->',
  '<details open>',
  '</details>',
  '&#64;octocat',
  '```',
  '````',
  '~~~',
  '`',
  '\\',
  '# Title',
  '> quote',
  '- list',
  '1. list',
  '***',
  '===',
  '| a | b |',
  '\n',
  '\r\n',
  '\u2028',
  '\u202E',
  '\u200B',
  '\u0000',
  '\u001B[31m',
  '\uD800',
  '$x$',
  ':tada:',
  '/ratchet enable',
  ' ',
];
/** Hostile pieces with anything between them. */
export const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ maxLength: 8 })), { maxLength: 25 })
  .map((parts) => parts.join(''));

/** Expects text of others that nothing can come of: no link, image, HTML, mention, reference or invisible character. */
export function expectInert(markdown: string): void {
  const types = new Set(nodesOf(markdown).map(({ type }) => type));
  for (const type of ['link', 'image', 'html', 'linkReference', 'imageReference', 'definition'])
    expect(types).not.toContain(type);
  expect(proseOf(markdown)).not.toMatch(LIVE);
  for (const { type, value } of nodesOf(markdown)) if (type === 'text') expect(value).not.toMatch(LIVE_IN_PIECE);
  expect(markdown).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u2028\u202E]|\p{Cs}/u);
}
