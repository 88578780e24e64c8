/** `002.R16`, and the list that it may start: `002.R5, R15 and R20`, `002.R16 to R19`. */
const RULES_OF_DOCUMENT = /\b(?<document>\d{3}|CARD)\.(?<list>R\d+(?:(?:, | and | to )R\d+)*)/g;
/** `S4`, `F30`; `T1 to T6` is six of them. */
const LETTERED = /\b(?<letter>[CEFLST])(?<first>\d{1,2})\b(?: to \k<letter>(?<last>\d{1,2})\b)?/g;
/** `trap 12`, `traps 1, 2 and 5 to 7`, `security decision 4`. */
const NAMED = /\b(?<name>trap|security decision)(?: (?<one>\d+)\b|s (?<list>\d+(?:(?:, | and | to )\d+)*))/g;

/** The numbers (`002.R16`, `S5`, `T34`, `trap 12`) that a text cites, each once. */
export function findCitations(text: string): readonly string[] {
  const rules = Array.from(text.matchAll(RULES_OF_DOCUMENT), ({ groups }) =>
    toNumbers(groups?.['list'] ?? '').map((number) => `${groups?.['document'] ?? ''}.R${number}`),
  );
  const lettered = Array.from(text.matchAll(LETTERED), ({ groups }) =>
    toRange(groups?.['first'], groups?.['last']).map((number) => `${groups?.['letter'] ?? ''}${number}`),
  );
  const named = Array.from(text.matchAll(NAMED), ({ groups }) =>
    toNumbers(groups?.['one'] ?? groups?.['list'] ?? '').map((number) => `${groups?.['name'] ?? ''} ${number}`),
  );
  return Array.from(new Set([...rules, ...lettered, ...named].flat()));
}

/** The numbers of `R5, R15 and R20`; `R16 to R19` is four of them. */
function toNumbers(list: string): readonly number[] {
  return list.split(/, | and /).flatMap((part) => {
    const [first, last] = part.split(' to ').map((end) => end.replace('R', ''));
    return toRange(first, last);
  });
}

function toRange(first = '0', last = first): readonly number[] {
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index);
}
