/** A copy of a text. A part of a string keeps all of that string in memory. */
export function toOwnText(text: string): string {
  return ` ${text}`.slice(1);
}
