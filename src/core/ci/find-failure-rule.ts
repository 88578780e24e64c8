import type { FailureRule } from './failure-rule.ts';
import { NETWORK_TROUBLE } from './network-signs.ts';

/** What tools, runners and build steps put before a message. */
const PREFIX =
  /^(?:##\[(?:error|warning)\]|::error(?: [^:]{0,200})?::|#\d+ (?:\d+\.\d+ )?|\[(?:\d{4}-)?[\w:.-]+\] |\[?(?:error|fatal|failed|fata\[\d+\]|err!|severe|'error')\]?(?:: ?| +)|[\w./-]{1,80}(?:\[\d+\])?: (?=error|fatal|failed)|npm (?:err!|error) |[\w.-]{1,40} +\| |\d\d:\d\d:\d\d(?:[.,]\d+)? |[>!×✖✘❌│├╰└─▶*⨯#-]+ |caused by: ?|\d+: |(?:unhandled|uncaught) (?:(?:error|rejection|exception)\W{1,3})?|\S{1,200}\(\d+(?:,\d+)?\): )/iu;
const MAX_PREFIXES = 4;
const MAX_LENGTH = 600;

/** A warning or a retry was survived, so it does not explain the failure. */
const SURVIVED =
  /\bwarn(?:ing)?\b|(?<!after )\bretry(?:ing)?\b|\bretries left\b|\btrying again\b|\battempt \d+ ?(?:of|\/)/iu;
/** Nothing came after the last try. apk and R go on with a warning that they then fail about. */
const LAST_TRY =
  /\(retry\(total=0|\((\d)\/\1\)|\battempt (\d+) ?(?:of|\/) ?\2\b|\bretry limit\b|\bwarning: (?:ignoring http|unable to access index)|: the runner has/iu;

/** Finds the rule that a line matches; null if none does. */
export type FindRule = (line: string) => FailureRule | null;

/** A message without none, one, two … of the prefixes before it. */
export function toMessages(line: string): readonly string[] {
  let message = line.slice(0, MAX_LENGTH).trim();
  const messages = [message];
  for (let count = 0; count < MAX_PREFIXES; count += 1) {
    const next = message.replace(PREFIX, '').trimStart();
    if (next === message) break;
    messages.push(next);
    message = next;
  }
  return messages;
}

/** A finder for these rules. Of several rules that match, the first one counts. */
export function createFindRule(rules: readonly FailureRule[]): FindRule {
  const any = createMatch({ says: rules.flatMap(({ says }) => says), blames: rules.flatMap(({ blames }) => blames) });
  const each = rules.map((rule) => ({ rule, matches: createMatch(rule) }));
  return (line) => {
    if (SURVIVED.test(line) && !LAST_TRY.test(line)) return null;
    const messages = toMessages(line);
    // Most lines match nothing, and one test for all rules is quick.
    const found = any(messages) ? each.find(({ matches }) => matches(messages)) : undefined;
    return found === undefined ? null : found.rule;
  };
}

/** Whether one of the messages of a line matches. */
function createMatch({ says, blames }: Pick<FailureRule, 'says' | 'blames'>): (messages: readonly string[]) => boolean {
  const said = toPattern(says);
  const blamed = toPattern(blames);
  return (messages) =>
    messages.some((message) => said.test(message)) ||
    (messages.some((message) => blamed.test(message)) && messages.some((message) => NETWORK_TROUBLE.test(message)));
}

/** Matches one of the beginnings; nothing if there are none. */
function toPattern(beginnings: readonly string[]): RegExp {
  return beginnings.length === 0 ? /(?!)/u : new RegExp(`^(?:${beginnings.join('|')})`, 'iu');
}
