import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';

type Root = ReturnType<typeof fromMarkdown>;
type Nodes = Root | Root['children'][number];
type Parents = Extract<Nodes, { readonly children: unknown }>;

/** A fenced block, with what the comment before it says of it. */
export interface Block {
  readonly line: number;
  /** The first word behind the fence; empty if there is none. */
  readonly language: string;
  readonly text: string;
  /** Why its commands are not run, from `<!-- not run: REASON -->`; null: they are run. */
  readonly notRun: string | null;
  /** From `<!-- exits N: REASON -->`. */
  readonly exitCode: number;
  /** The block that follows directly, apart from comments. */
  readonly next: { readonly language: string; readonly text: string } | null;
}

/** What a document contains that can be checked. */
export interface Document {
  readonly blocks: readonly Block[];
  /** Words in code marks. */
  readonly words: readonly string[];
  readonly links: readonly string[];
  /** Anchors of its headings, as GitHub makes them. */
  readonly anchors: ReadonlySet<string>;
  /** Comments that look like marks and are none, each with its line. */
  readonly problems: readonly string[];
}

const MARK = /^<!-- (?:not run: (?<notRun>\S.{9,})|exits (?<exits>[1-3]): \S.{9,}) -->$/su;
const MARK_LIKE = /^<!--\s*(?:not[ -]?run|exits?|skip)\b/iu;

/** Parses a document as GitHub reads it. */
export function readDocument(text: string): Document {
  const root = fromMarkdown(text, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] });
  const nodes = [...walk(root)];
  const html = nodes.flatMap((node) => (node.type === 'html' ? [node] : []));
  return {
    blocks: [root, ...nodes]
      .flatMap((node) => ('children' in node ? toBlocks(node) : []))
      .toSorted((left, right) => left.line - right.line),
    words: nodes.flatMap((node) => (node.type === 'inlineCode' ? [node.value] : [])),
    links: [
      ...nodes.flatMap((node) => ('url' in node ? [node.url] : [])),
      ...html.flatMap(({ value }) => [...value.matchAll(/(?:href|src|srcset)="([^"]+)"/gu)].map(([, url = '']) => url)),
    ],
    anchors: toAnchors(nodes.flatMap((node) => (node.type === 'heading' ? [toText(node)] : []))),
    problems: [root, ...nodes].flatMap((node) => ('children' in node ? findBadMarks(node) : [])),
  };
}

/** A mark without a reason, and one that stands before something else than a block. */
function findBadMarks({ children }: Parents): readonly string[] {
  return children.flatMap((node, index) => {
    if (node.type !== 'html' || !MARK_LIKE.test(node.value)) return [];
    const line = `line ${String(node.position?.start.line)}`;
    if (!MARK.test(node.value)) {
      return [`${line}: a mark needs a reason: <!-- not run: REASON -->, <!-- exits 1: REASON -->`];
    }
    return children[index + 1]?.type === 'code' ? [] : [`${line}: no block follows this mark`];
  });
}

function* walk(node: Nodes): Generator<Nodes> {
  if (!('children' in node)) return;
  for (const child of node.children) {
    yield child;
    yield* walk(child);
  }
}

function toBlocks({ children }: Parents): readonly Block[] {
  return children.flatMap((node, index) => {
    if (node.type !== 'code') return [];
    const next = children[index + 1];
    return [
      {
        ...readMark(children[index - 1]),
        line: node.position?.start.line ?? 0,
        language: node.lang ?? '',
        text: node.value,
        next: next?.type === 'code' ? { language: next.lang ?? '', text: next.value } : null,
      },
    ];
  });
}

function readMark(before: Nodes | undefined): Pick<Block, 'notRun' | 'exitCode'> {
  const { notRun = null, exits = '0' } = (before?.type === 'html' ? MARK.exec(before.value)?.groups : null) ?? {};
  return { notRun, exitCode: Number(exits) };
}

function toText(node: Nodes): string {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(toText).join('') : '';
}

/** Lower case, without punctuation, blanks as dashes; a repeated one gets a number. */
function toAnchors(headings: readonly string[]): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const heading of headings) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/gu, '-');
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy += 1) anchor = `${slug}-${String(copy)}`;
    anchors.add(anchor);
  }
  return anchors;
}
