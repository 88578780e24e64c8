/** Elements that need no end tag, so they are never counted as open. */
const UNPAIRED: ReadonlySet<string> = new Set(
  'area base br col dd dt embed hr img input li link meta option p param source tbody td tfoot th thead tr track wbr'.split(
    ' ',
  ),
);

const TAG = /<\/?[a-z](?:"[^"]*"|'[^']*'|[^"'<>])*>/giu;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/gu;

/** Names of the open HTML elements, outermost first. */
export type OpenElements = readonly string[];

/** The open elements after the fragment `html`; `open` are those before it. An end tag without a start tag is ignored. */
export function toOpenElements(open: OpenElements, html: string): OpenElements {
  let now = open;
  for (const [tag] of html.replace(COMMENT, '').matchAll(TAG)) {
    const name = tag.toLowerCase().replace(/<\/?(?<name>[a-z0-9-]+)[^]*/u, '$<name>');
    if (UNPAIRED.has(name) || tag.endsWith('/>')) continue;
    now = tag.startsWith('</') ? toClosed(now, name) : [...now, name];
  }
  return now;
}

function toClosed(open: OpenElements, name: string): OpenElements {
  const index = open.lastIndexOf(name);
  return index === -1 ? open : open.slice(0, index);
}
