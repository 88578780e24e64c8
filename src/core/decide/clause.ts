/** Continues a sentence, with its full stop. */
export type Clause = `${', but' | ', and' | ';'} ${string}`;

/** The clause as a sentence, without its leading `, but`, `, and` or `;`. */
export function toSentence(clause: Clause): string {
  const words = clause.replace(/^(?:, but|, and|;) /u, '');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
