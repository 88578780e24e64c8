/** A text in HTML, between tags or within a quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
