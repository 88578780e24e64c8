import type { SyntaxNode, Tree } from '@lezer/common';
import type { LRParser } from '@lezer/lr';

/** Longer texts are not parsed. */
const MAX_LENGTH = 256 * 1024;
/** Deeper texts are not parsed: time grows with the square of the depth. */
const MAX_DEPTH = 200;
const MAX_STEPS = 3_000_000;
/** A pattern that skips blanks takes time that grows with the square of their number. */
const BLANKS = /\s{400}/u;
/** Operators in a row nest, too, but without brackets. */
const MAX_TREE_DEPTH = 1000;

/** A text and its tree. */
export interface Syntax {
  readonly text: string;
  readonly tree: Tree;
  /** Line of a position, from 1. */
  readonly lineAt: (position: number) => number;
}

/**
 * Parses the text; null if it has syntax errors or is beyond the limits. The first parser without an error wins. `known`: the same text
 * with forms that the grammar does not know put into ones that it knows, each as long as before.
 */
export function parse(text: string, parsers: readonly LRParser[], known = text): Syntax | null {
  if (text.length > MAX_LENGTH || BLANKS.test(text) || toDepth(text) > MAX_DEPTH) return null;
  for (const parser of parsers) {
    const tree = run(parser, known);
    if (tree !== null && isWhole(tree)) return { text, tree, lineAt: createLineFinder(text) };
  }
  return null;
}

function run(parser: LRParser, text: string): Tree | null {
  const parsing = parser.configure({ strict: true }).startParse(text);
  try {
    for (let steps = 0; steps < MAX_STEPS; steps += 1) {
      const tree = parsing.advance();
      if (tree !== null) return tree;
    }
    return null;
  } catch (error) {
    // At the first syntax error: its recovery would take time that grows with the square of the text.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Brackets in strings and comments count, too: the limit is far above what people write. */
function toDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const char of text) {
    if ('([{<'.includes(char)) depth += 1;
    else if (')]}>'.includes(char)) depth = Math.max(0, depth - 1);
    else if (char === '\n' && depth > 0 && depth < 3) depth = 0;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function isWhole(tree: Tree): boolean {
  let isGood = true;
  let depth = 0;
  tree.iterate({
    enter: (node) => {
      depth += 1;
      if (node.type.isError || depth > MAX_TREE_DEPTH) isGood = false;
      return isGood;
    },
    leave: () => {
      depth -= 1;
    },
  });
  return isGood;
}

function createLineFinder(text: string): (position: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (position) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= position) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** Calls `visit` for the node and all below it. What returns false is not entered. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode) => boolean | undefined): void {
  node.cursor().iterate((at) => visit(at.node));
}
