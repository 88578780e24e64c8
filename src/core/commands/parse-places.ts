import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFootnoteFromMarkdown } from 'mdast-util-gfm-footnote';
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmFootnote } from 'micromark-extension-gfm-footnote';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';
import { type OpenElements, toOpenElements } from './html-depth.ts';

/**
 * Where a line stands. `own`: plain text of the speaker. `foreign`: an example, a quote, or what nobody sees. `doubtful`: probably
 * the speaker's own. `void`: the speaker's own, and certainly not meant to be carried out.
 */
export type Place =
  | { readonly kind: 'own' }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'doubtful' | 'void'; readonly why: string };

/** The Markdown of a comment, asked for places of lines in ascending order. */
export interface Places {
  /** Where the text at `offset` stands; its line begins at `start`. */
  readonly placeOf: (start: number, offset: number) => Place;
  readonly isCode: (offset: number) => boolean;
}

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root | Root['children'][number];
type NodeType = Node['type'];

const OWN: Place = { kind: 'own' };
const FOREIGN: Place = { kind: 'foreign' };
const doubtful = (why: string): Place => ({ kind: 'doubtful', why });
const nothing = (why: string): Place => ({ kind: 'void', why });

/** What GitHub renders. Emphasis does not affect commands, and parsing its delimiters is the most expensive part. */
const GITHUB_MARKDOWN = {
  extensions: [gfmTable(), gfmStrikethrough(), gfmFootnote(), { disable: { null: ['attention'] } }],
  mdastExtensions: [gfmTableFromMarkdown(), gfmStrikethroughFromMarkdown(), gfmFootnoteFromMarkdown()],
};

/** Elements that GitHub renders and that have an end tag. Others (`List<T>`) leave the text around them as it is. */
const CODE_ELEMENTS: ReadonlySet<string> = new Set('code kbd pre samp tt var'.split(' '));
const QUOTE_ELEMENTS: ReadonlySet<string> = new Set('blockquote q'.split(' '));
const STRUCK_ELEMENTS: ReadonlySet<string> = new Set('del s strike'.split(' '));
const OTHER_ELEMENTS: ReadonlySet<string> = new Set(
  (
    'a abbr b bdo bdi big caption center cite details dfn div dl em figcaption figure font h1 h2 h3 h4 h5 h6 i ins mark ol ' +
    'picture rp rt ruby section small span strong sub summary sup table time ul'
  ).split(' '),
);

/** Parses the Markdown of a comment whose line ends are `\n`. */
export function parsePlaces(text: string): Places {
  const root = fromMarkdown(text, GITHUB_MARKDOWN);
  const openAt = createOpenElements(root);
  return {
    placeOf(start, offset) {
      const path = findPath(root, offset);
      const line = toLine(text, start);
      const judged = path.flatMap((node) => JUDGES[node.type]?.(node, { text, line, offset }) ?? []);
      const [place] = [...judged.filter(({ kind }) => kind === 'foreign'), ...judged];
      if (place !== undefined) return place;
      const html = path.at(-1)?.type === 'html' ? path.at(-1) : undefined;
      const open = openAt(offset, html === undefined ? '' : text.slice(toStart(html), offset));
      return judgeElements(open, text.slice(offset)) ?? judgeIndent(line) ?? OWN;
    },
    isCode: (offset) => findPath(root, offset).some(({ type }) => type === 'code'),
  };
}

interface Spot {
  readonly text: string;
  readonly line: string;
  readonly offset: number;
}

type Judge = (node: Node, spot: Spot) => Place | null;

const LINKED: Judge = () => doubtful('it is in a link');

/** What each type of node makes of a line in it; null: nothing. */
const JUDGES: Readonly<Partial<Record<NodeType, Judge>>> = {
  code: (node, { text }) =>
    isUnclosedFence(node, text) ? nothing('the code block above it is never closed') : FOREIGN,
  inlineCode: () => FOREIGN,
  blockquote: (_node, { line }) =>
    /^[^\p{L}\p{N}/]*>/u.test(line) ? FOREIGN : doubtful('it belongs to the quote above it: leave a line empty'),
  listItem: () => doubtful('it belongs to a list: leave a line empty, and begin the line with it'),
  heading: (node, { text }) => (isSignature(node, text) ? null : doubtful('it is a heading')),
  tableRow: (_node, { line }) =>
    line.includes('|') ? nothing('it is in a table') : doubtful('it belongs to the table above it: leave a line empty'),
  footnoteDefinition: () => doubtful('it is in a footnote'),
  delete: () => nothing('it is struck out'),
  paragraph: (node, spot) => (isFormula(spot, toStart(node), toEnd(node)) ? nothing('it is in a formula') : null),
  html: (node, { text, offset }) => judgeHtml(text.slice(toStart(node), toEnd(node)), offset - toStart(node)),
  link: LINKED,
  linkReference: LINKED,
  image: LINKED,
  imageReference: LINKED,
  definition: LINKED,
};

/** Nodes around an offset, outermost first. */
function findPath(root: Root, offset: number): readonly Node[] {
  const path: Node[] = [root];
  for (let at: Node | undefined = root; at !== undefined; ) {
    const children: readonly Node[] = 'children' in at ? at.children : [];
    at = children.find((child) => toStart(child) <= offset && offset < toEnd(child));
    if (at !== undefined) path.push(at);
  }
  return path;
}

function isUnclosedFence(node: Node, text: string): boolean {
  const fence = /^(?:`{3,}|~{3,})/u.exec(text.slice(toStart(node)))?.[0];
  const closing = /\n[\s>]*(?<marks>`{3,}|~{3,})[ \t]*$/u.exec(text.slice(toStart(node), toEnd(node)))?.groups?.[
    'marks'
  ];
  return fence !== undefined && closing?.startsWith(fence) !== true;
}

/** The `--` above a mail signature, and a thematic break without an empty line before it, make a heading of the text above. */
function isSignature(node: Node, text: string): boolean {
  return /\n[ \t]*-+[ \t]*$/u.test(text.slice(toStart(node), toEnd(node)));
}

/** Whether the line is within `$$…$$` or `$…$` of its paragraph. */
function isFormula({ text, offset }: Spot, start: number, end: number): boolean {
  const at = offset - start;
  return [...text.slice(start, end).matchAll(/(\$\$)[^$]+\$\$|(?<![^\s(])\$(?=\S)[^$]*[^\s$]\$(?!\d)/gu)].some(
    ({ index, 0: formula }) => index < at && at < index + formula.length,
  );
}

/** Comments and declarations of HTML. Elements are judged with those around them. */
function judgeHtml(html: string, at: number): Place | null {
  const begin = html.lastIndexOf('<!--', at);
  if (begin !== -1 && html.lastIndexOf('-->', at) < begin)
    return html.includes('-->', at) ? FOREIGN : doubtful('the comment (<!--) above it is never closed');
  return /^<[!?](?!--)/u.test(html) ? doubtful('it is in HTML') : null;
}

function judgeElements(open: OpenElements, below: string): Place | null {
  const isClosed = (name: string): boolean => below.toLowerCase().includes(`</${name}`);
  if (open.some((name) => (CODE_ELEMENTS.has(name) || QUOTE_ELEMENTS.has(name)) && isClosed(name))) return FOREIGN;
  if (open.some((name) => STRUCK_ELEMENTS.has(name))) return nothing('it is struck out');
  const around = open.findLast((name) =>
    [CODE_ELEMENTS, QUOTE_ELEMENTS, OTHER_ELEMENTS].some((names) => names.has(name)),
  );
  return around === undefined ? null : doubtful(`it is in an HTML element (<${around}>)`);
}

/** In the middle of a paragraph, an indented line is no code. */
function judgeIndent(line: string): Place | null {
  return /^(?: {4}| {0,3}\t)/u.test(line) ? doubtful('it is indented') : null;
}

/** Returns a function that tells the elements open at an offset. Offsets have to ascend. */
function createOpenElements(root: Root): (offset: number, within: string) => OpenElements {
  const fragments = listHtml(root);
  let next = 0;
  let open: OpenElements = [];
  return (offset, within) => {
    for (let at = fragments[next]; at !== undefined && at.end <= offset; at = fragments[next]) {
      open = toOpenElements(open, at.html);
      next += 1;
    }
    return toOpenElements(open, within);
  };
}

function listHtml(node: Node): readonly { readonly end: number; readonly html: string }[] {
  if (node.type === 'html') return [{ end: toEnd(node), html: node.value }];
  return 'children' in node ? node.children.flatMap(listHtml) : [];
}

function toStart({ position }: Node): number {
  return orZero(position?.start.offset);
}

function toEnd({ position }: Node): number {
  return orZero(position?.end.offset);
}

/** The parser knows the position of each node; its types do not say so. */
function orZero(offset = 0): number {
  return offset;
}

function toLine(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return text.slice(start, end === -1 ? text.length : end);
}
