/** The named group of the first match; undefined without a match. */
export function group(pattern: RegExp, text: string, name: string): string | undefined {
  return pattern.exec(text)?.groups?.[name];
}

/** The named groups of the first match, or null without a match. Groups that took no part are empty. */
export function groups(pattern: RegExp, text: string): Readonly<Record<string, string | undefined>> | null {
  return pattern.exec(text)?.groups ?? null;
}

/** Null for what is no number. */
export function toFinite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Without the quotes around it. */
export function unquote(text: string): string {
  return text.replaceAll(/^["'`]|["'`]$/gu, '');
}
