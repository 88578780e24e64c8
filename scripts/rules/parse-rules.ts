/** Why a rule has no test: it cannot apply to this project, or it is not built yet. */
export type Exemption = { readonly kind: 'not ours'; readonly reason: string } | { readonly kind: 'not built yet' };

/** One line of docs/rules.md. */
export interface Rule {
  /** As it is cited: `002.R16`, `S4`, `trap 12`. */
  readonly id: string;
  readonly text: string;
  readonly exemption: Exemption | null;
}

/** The rules in their order, and a line for each thing that is wrong with the file. */
export interface ParsedRules {
  readonly rules: readonly Rule[];
  readonly problems: readonly string[];
}

const RULE = /^- \*\*(?<id>[^*]+)\*\*: (?<text>.+?)(?: _(?<state>Not .*)_)?$/;
const NOT_OURS = /^Not ours: (?<reason>.+)$/;

/**
 * Reads `- **trap 35**: Text.` lines, which may end in `_Not built yet._` or `_Not ours: reason._`. Every other item of a list,
 * and every number that stands there twice, is a problem.
 */
export function parseRules(markdown: string): ParsedRules {
  const lines = markdown.split('\n').map((text, index) => ({ text, place: `line ${index + 1}` }));
  const parsed = lines
    .filter(({ text }) => /^\s*[-*+] /.test(text))
    .map(({ text, place }) => ({ text, place, rule: parseRule(text) }));
  const rules = parsed.flatMap(({ rule }) => rule ?? []);
  const seen = Map.groupBy(rules, ({ id }) => id);
  return {
    rules,
    problems: [
      ...parsed.flatMap(({ text, place, rule }) => (rule === null ? [`${place} is not a rule: ${text}`] : [])),
      ...Array.from(seen).flatMap(([id, same]) => (same.length > 1 ? [`${id} stands there ${same.length} times`] : [])),
    ],
  };
}

function parseRule(line: string): Rule | null {
  const { id = '', text = '', state } = RULE.exec(line)?.groups ?? {};
  if (id === '') return null;
  if (state === undefined) return { id, text, exemption: null };
  if (state === 'Not built yet.') return { id, text, exemption: { kind: 'not built yet' } };
  const reason = NOT_OURS.exec(state)?.groups?.['reason'];
  return reason === undefined ? null : { id, text, exemption: { kind: 'not ours', reason } };
}
