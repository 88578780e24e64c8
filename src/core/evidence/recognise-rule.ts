import type { FailureSign } from './log-failure.ts';

/**
 * A form of line that names a failure. Named groups of `pattern` fill the sign: `path`, `line`, `column`, `rule`, `test`, `message`.
 * Every pattern begins at the start of the line and takes time linear in its length.
 */
export interface LineForm {
  readonly kind: FailureSign['kind'];
  readonly tool: string | null;
  /** A text that every such line has. Searching it first spares most patterns. */
  readonly needs: string;
  readonly pattern: RegExp;
}

/** A pattern, after the text that every line has that it fits. */
export type NeedAndPattern = readonly [needs: string, pattern: RegExp];

export function toForms(
  kind: LineForm['kind'],
  tool: string | null,
  patterns: readonly NeedAndPattern[],
): readonly LineForm[] {
  return patterns.map(([needs, pattern]) => ({ kind, tool, needs, pattern }));
}

/** The sign of the first form that fits; null if none does. */
export function recogniseForm(forms: readonly LineForm[], text: string): FailureSign | null {
  for (const { kind, tool, needs, pattern } of forms) {
    if (!text.includes(needs)) continue;
    const groups = pattern.exec(text);
    if (groups !== null) return { kind, tool, ...toParts(groups.groups ?? {}, text) };
  }
  return null;
}

/** How long a test took, behind its name. It is another one in each run. */
const TIMING = /(?<=\S) \(\d+(?:\.\d+)? ?m?s\)$/u;

type Parts = Omit<FailureSign, 'kind' | 'tool'>;

function toParts(groups: Readonly<Partial<Record<string, string>>>, text: string): Parts {
  return {
    path: toPath(groups['path']),
    line: toNumber(groups['line']),
    column: toNumber(groups['column']),
    rule: groups['rule'] ?? null,
    testId: toText(groups['test'])?.replace(TIMING, '') ?? null,
    message: toText(groups['message']) ?? text.trim(),
  };
}

function toText(group: string | undefined): string | null {
  const text = group?.trim() ?? '';
  return text === '' ? null : text;
}

export function toPath(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : tidyPath(text);
}

/** A path as a log spells it: with `/`, without `./`. */
export function tidyPath(text: string): string {
  return text
    .replaceAll('\\', '/')
    .replace(/^file:\/\//u, '')
    .replace(/^(?:\.\/)+/u, '');
}

export function toNumber(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}
