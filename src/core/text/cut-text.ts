/** The start of a text, with `…` where it was cut. `maxLength` is in UTF-16 code units. */
export function cutText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`;
}
