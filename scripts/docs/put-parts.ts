/** Each mark, with what follows it up to the next one. */
const PIECES = /(?=<!-- [\w ]+: npm run docs -->\n)/u;
const NAME = /^<!-- (?<name>[\w ]+): npm run docs -->\n/u;
const END = '<!-- end -->';

/** Puts generated parts into a document: each between its mark, `<!-- NAME: npm run docs -->`, and `<!-- end -->`. */
export function putParts(text: string, parts: Readonly<Record<string, () => string>>): string {
  const pieces = text.split(PIECES);
  if (!pieces.some((piece) => NAME.test(piece))) throw new Error('the document has lost its marks');
  return pieces.map((piece) => putPart(piece, parts)).join('');
}

function putPart(piece: string, parts: Readonly<Record<string, () => string>>): string {
  const name = NAME.exec(piece)?.groups?.['name'];
  if (name === undefined) return piece;
  const render = parts[name];
  const end = piece.indexOf(END);
  if (render === undefined || end === -1) throw new Error(`the document has no whole part ${JSON.stringify(name)}`);
  return `<!-- ${name}: npm run docs -->\n\n${render()}\n\n${piece.slice(end)}`;
}
