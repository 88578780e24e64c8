import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { isJsonObject } from '../../core/json/parse-json-object.ts';

/** One XML element with its content. */
export interface XmlElement {
  /** Without the namespace prefix. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text including CDATA, without the text of its children. */
  readonly text: string;
}

export type XmlReading =
  | { readonly kind: 'ok'; readonly root: XmlElement }
  | { readonly kind: 'invalid'; readonly why: string };

const MAX_LENGTH = 32 * 1024 * 1024;
const MAX_DEPTH = 64;
const MAX_WHY_LENGTH = 200;
const ATTRIBUTES = ':@';
const TEXT = '#text';
const PREDEFINED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const REFERENCE = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot|apos));/giu;
/** What may come before the root: declaration, processing instructions, comments. */
const PROLOGUE = /^\s*(?:<\?[^]*?\?>\s*|<!--[^]*?-->\s*)*/u;

/**
 * Parses a well-formed XML document. A document with a DOCTYPE is refused: no report needs one, and its entities can be used to
 * attack the reader. Never throws; length and depth are limited.
 */
export function readXml(text: string): XmlReading {
  if (text.length > MAX_LENGTH) return invalid(`longer than ${String(MAX_LENGTH)} characters`);
  if (declaresType(text)) return invalid('it declares a document type (<!DOCTYPE>), which is not read');
  if (!text.trimEnd().endsWith('>')) return invalid('not well-formed: it does not end with a tag');
  // oxlint-disable-next-line typescript/no-deprecated -- the parser takes unclosed and crossed tags; its successor is the same code in a package of its own
  const wellFormed = XMLValidator.validate(text);
  if (wellFormed !== true)
    return invalid(`not well-formed: ${wellFormed.err.msg} (line ${String(wellFormed.err.line)})`);
  return toDocument(text);
}

function declaresType(text: string): boolean {
  const start = PROLOGUE.exec(text)?.[0].length ?? 0;
  return /^<!doctype/iu.test(text.slice(start, start + 16));
}

function toDocument(text: string): XmlReading {
  try {
    const parsed: unknown = createParser().parse(text);
    const [root, second] = toElements(parsed);
    if (root === undefined || second !== undefined) return invalid('it does not have exactly one root element');
    return { kind: 'ok', root };
  } catch (error) {
    return invalid(error instanceof Error ? error.message : 'it cannot be read');
  }
}

function createParser(): XMLParser {
  return new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    textNodeName: TEXT,
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    removeNSPrefix: true,
    maxNestedTags: MAX_DEPTH,
    // The library's own decoder ignores character references (`&#10;`) and accepts entities that the document declares.
    entityDecoder: {
      setExternalEntities: () => undefined,
      addInputEntities: () => undefined,
      reset: () => undefined,
      setXmlVersion: () => undefined,
      decode: decodeReferences,
    },
  });
}

function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(
    REFERENCE,
    (whole, decimal: string | undefined, hexadecimal: string | undefined, name: string | undefined) => {
      if (name !== undefined) return PREDEFINED[name.toLowerCase()] ?? whole;
      const point = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number.parseInt(decimal, 10);
      return point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole;
    },
  );
}

/** The library's nodes have the form `{ [name]: children, ':@': attributes }` or `{ '#text': text }`. */
function toElements(nodes: unknown): readonly XmlElement[] {
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: unknown) => {
    const found = isJsonObject(node)
      ? Object.entries(node).find(([key]) => key !== ATTRIBUTES && key !== TEXT)
      : undefined;
    if (!isJsonObject(node) || found === undefined) return [];
    const [name, children] = found;
    return [
      { name, attributes: toAttributes(node[ATTRIBUTES]), children: toElements(children), text: toText(children) },
    ];
  });
}

function toAttributes(found: unknown): ReadonlyMap<string, string> {
  if (!isJsonObject(found)) return new Map();
  return new Map(Object.entries(found).map(([key, value]) => [key, String(value)]));
}

function toText(nodes: unknown): string {
  if (!Array.isArray(nodes)) return '';
  return nodes.map((node: unknown) => (isJsonObject(node) && TEXT in node ? String(node[TEXT]) : '')).join('');
}

function invalid(why: string): XmlReading {
  return { kind: 'invalid', why: why.length > MAX_WHY_LENGTH ? `${why.slice(0, MAX_WHY_LENGTH)}…` : why };
}
