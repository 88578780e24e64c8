/** `002.R16`, and what goes on with it: `002.R5, R15 and R20`, `002.R16 to R19`. */
const RULES_OF_DOCUMENT = /\b(?<document>\d{3})\.(?<list>R\d+(?:(?:, | and | to )R\d+)*)/g;
const SETTLEMENTS = /\b[CS]\d{1,2}\b/g;
const TRAPS = /\btrap (?<one>\d+)\b|\btraps (?<list>\d+(?:(?:, | and | to )\d+)*)/g;

/** The rules (`002.R16`, `S5`, `C9`) and traps (`trap 12`) that the title of a test names, each once. */
export function findCitations(title: string): readonly string[] {
  const rules = Array.from(title.matchAll(RULES_OF_DOCUMENT), ({ groups }) =>
    toNumbers(groups?.['list'] ?? '').map((number) => `${groups?.['document'] ?? ''}.R${number}`),
  );
  const traps = Array.from(title.matchAll(TRAPS), ({ groups }) =>
    toNumbers(groups?.['one'] ?? groups?.['list'] ?? '').map((number) => `trap ${number}`),
  );
  const settlements = Array.from(title.matchAll(SETTLEMENTS), ([id]) => id);
  return Array.from(new Set([...rules.flat(), ...settlements, ...traps.flat()]));
}

/** The numbers of `R5, R15 and R20`; `R16 to R19` is four of them. */
function toNumbers(list: string): readonly number[] {
  return list.split(/, | and /).flatMap((part) => {
    const [first = 0, last = first] = part.split(' to ').map((end) => Number(end.replace('R', '')));
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
