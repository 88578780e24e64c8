import type { AssertionFact, Relation } from '../../core/model/source-facts.ts';

const MAX_TEXT = 2000;

/** Relations by the lower-cased names of matchers, without `to`, `be` and underscores. */
const RELATIONS: readonly (readonly [RegExp, Relation])[] = [
  [/snapshot|golden|approv/u, 'snapshot'],
  [/throw|raises|rejects$|panic|exception|error(?:as|is|contains)?$|doesnotreject|warns/u, 'throws'],
  [/closeto|almostequal|approx|indelta|inepsilon|within|allclose/u, 'close'],
  [/call(?:ed|s)|awaited|returned|nthcalled|notify/u, 'called'],
  [/null$|undefined$|none$|^nan$/u, 'equal'],
  [/defined$|exist|notnil|isnotn|notempty/u, 'defined'],
  [/instance|typeof|^an?$|istype/u, 'type'],
  [/greater|less|above|below|atleast|atmost|lte?$|gte?$/u, 'order'],
  [/true|ok$|truthy|^assert$|visible|enabled|checked|success|valid$/u, 'truthy'],
  [/false|falsy|disabled|hidden/u, 'falsy'],
  [/contain|includ|property|member|keys|^in$|objectmatch|matchobject|haslength$|partial|like|subset/u, 'contains'],
  [/match|regex|pattern|startswith|endswith/u, 'matches'],
  [/equal|^is$|eql?$|same|^be$|ident|length|count|value|text|status|nil$|empty|deep|^returns?$/u, 'equal'],
];

export function toRelation(name: string): Relation {
  const plain = name
    .replaceAll(/_/gu, '')
    .toLowerCase()
    .replace(/^(?:to)?(?:(?:be|have)(?=\w))?/u, '');
  return RELATIONS.find(([pattern]) => pattern.test(plain))?.[1] ?? 'helper';
}

const LITERAL =
  /"(?:[^"\\\n]|\\.){0,500}"|'(?:[^'\\\n]|\\.){0,500}'|`(?:[^`\\]|\\.){0,500}`|(?<![\w.])\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?/gu;

/** Numbers and strings, without quotes. */
export function toLiterals(text: string): readonly string[] {
  return (text.match(LITERAL) ?? []).map(toLiteral);
}

function toLiteral(text: string): string {
  return /^["'`]/u.test(text) ? text.slice(1, -1) : text.replaceAll('_', '');
}

/** A value that the text itself gives: a number, a string, true, an empty list. */
export const CONSTANT =
  /^(?:-?\d[\d_]*(?:\.\d+)?(?:[a-z]\d*)?|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`$]*`|true|false|True|False|null|None|nil|undefined|!0|!1|\[\]|\{\})$/u;

/** Blanks outside of strings removed; the strings as they are, in one kind of quotes. */
export function squeeze(text: string): string {
  const plain = text
    .slice(0, 2 * MAX_TEXT)
    .replaceAll(/("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)|\s+/gu, (_all, quoted?: string) => {
      if (quoted === undefined) return ' ';
      return quoted.startsWith("'") && !quoted.includes('"') ? `"${quoted.slice(1, -1)}"` : quoted;
    });
  return plain
    .replaceAll(/ ?([^\w\s"'`]) ?/gu, '$1')
    .replaceAll(/,(?=[)\]}])/gu, '')
    .trim()
    .slice(0, MAX_TEXT);
}

/** An assertion as its style writes it. */
export interface AssertionParts {
  readonly relation: Relation;
  readonly isNegated?: boolean;
  readonly subject: string;
  readonly expected?: string;
  readonly tolerance?: number | null;
  /** False: names of the test that hold literals say nothing here. */
  readonly readsConstants?: boolean;
}

const ALWAYS_TRUE = /\|\|\s*(?:true|1)\b|\bor\s+True\b|\bTrue\s+or\b|(?:^|[( ])true\s*\|\||\bor\s+1\s*$|\|\|\s*!0/u;
const LENGTH = /(?:\.length|\.size|\blen\(|\.len\(\)|\.count\(\))/u;

/** An assertion in one form for all styles of writing it. `constants`: names of the test that hold literals. */
export function toAssertion(parts: AssertionParts, line: number, constants: ReadonlySet<string>): AssertionFact {
  const { tolerance = null, readsConstants = true } = parts;
  const { subject, expected } = toSides(parts);
  const plain = toPlain(parts.relation, expected, parts.isNegated === true);
  const compared = { ...plain, subject, expected };
  const isFixed = (text: string): boolean => CONSTANT.test(text) || (readsConstants && constants.has(text));
  return {
    ...{ ...compared, expected: TRUTHS.has(plain.relation) ? '' : expected },
    literals: toLiterals(`${subject} ${expected}`),
    isTrivial: isSelf(compared) || isGiven(compared, isFixed) || isLoose(compared) || isAlways(compared),
    ...{ tolerance, line },
  };
}

const TRUTHS: ReadonlySet<Relation> = new Set<Relation>(['truthy', 'falsy']);

/** What is asked about first, the value second, however they are written. */
function toSides({ subject, expected = '' }: AssertionParts): { subject: string; expected: string } {
  const given = { subject: squeeze(subject), expected: squeeze(expected) };
  const isSwapped = CONSTANT.test(given.subject) && given.expected !== '' && !CONSTANT.test(given.expected);
  return isSwapped ? { subject: given.expected, expected: given.subject } : given;
}

type Compared = Pick<AssertionFact, 'relation' | 'isNegated' | 'subject' | 'expected'>;

function isSelf({ relation, isNegated, subject, expected }: Compared): boolean {
  return relation !== 'helper' && expected !== '' && subject === expected && !isNegated;
}

function isGiven({ relation, subject, expected }: Compared, isFixed: (text: string) => boolean): boolean {
  if (relation === 'helper' || relation === 'throws') return false;
  return isFixed(subject) && (expected === '' || isFixed(expected));
}

/** A length is never below zero. */
function isLoose({ relation, subject, expected }: Compared): boolean {
  return relation === 'order' && LENGTH.test(subject) && /^(?:-1|0)$/u.test(expected);
}

function isAlways({ subject, expected }: Compared): boolean {
  const isAnything = /^expect\.any(?:thing)?\(?\)?$|^mock\.ANY$|^ANY$/u.test(expected);
  return isAnything || ALWAYS_TRUE.test(`${subject} ${expected}`);
}

/** `x == true` and `not x == false` ask for the same. */
function toPlain(relation: Relation, expected: string, isNegated: boolean): { relation: Relation; isNegated: boolean } {
  const isTrue = /^[tT]rue$/u.test(expected);
  const isFalse = /^[fF]alse$/u.test(expected);
  if (relation === 'equal' && (isTrue || isFalse))
    return { relation: isTrue !== isNegated ? 'truthy' : 'falsy', isNegated: false };
  if (relation === 'equal' && isNegated && /^(?:null|undefined|None|nil)$/u.test(expected))
    return { relation: 'defined', isNegated: false };
  if (relation === 'truthy' || relation === 'falsy') {
    return { relation: (relation === 'truthy') !== isNegated ? 'truthy' : 'falsy', isNegated: false };
  }
  return { relation, isNegated };
}

/** Arguments at the outermost level of a text such as `a, f(b, c)`. */
export function splitArguments(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote !== '') {
      if (char === '\\') at += 1;
      else if (char === quote) quote = '';
    } else if ('"\'`'.includes(char)) quote = char;
    else if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim()).filter((part) => part !== '');
}
