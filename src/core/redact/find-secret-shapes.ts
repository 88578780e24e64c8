import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SecretLintRuleContext, SecretLintRuleReportDescriptor, SecretLintSourceCode } from '@secretlint/types';
import type { Range } from './find-exact.ts';

/** A part of a text that has the shape of a secret. */
export interface SecretShape extends Range {
  /** The kind of secret, never its value. */
  readonly name: string;
  /** False for a password in a URL: test data has many, so they are redacted but block no change. */
  readonly isToken: boolean;
}

const ADDRESS_RULES = /-(?:basicauth|database-connection-string)$/u;

/**
 * Parts of `text` that have the shape of a well-known secret (threat T54), found by our own patterns and by the scanning rules of
 * secretlint's recommended preset. Rules for comments that switch other rules off are left out, because the text may be hostile.
 */
export function findSecretShapes(text: string): readonly SecretShape[] {
  const own: readonly SecretShape[] = PATTERNS.flatMap(({ name, pattern }) =>
    Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => ({
      ...{ name, isToken: true },
      ...{ start: index, end: index + length },
    })),
  );
  const isKnown = ({ start, end }: Range): boolean => own.some((one) => one.start < end && start < one.end);
  return [...own, ...scan(text).filter((found) => !isKnown(found))];
}

function scan(text: string): readonly SecretShape[] {
  const found: SecretShape[] = [];
  for (const rule of rules) {
    const { id, type } = rule.meta;
    if (type !== 'scanner' || id.endsWith('-filter-comments')) continue;
    const name = id.replace('@secretlint/secretlint-rule-', '');
    const isToken = !ADDRESS_RULES.test(id);
    /* oxlint-disable ours/banned-syntax -- Scanning rules use no other members of context and source. */
    const context = {
      createTranslator: () => () => ({ message: '', messageId: '', data: {} }),
      report: ({ range: [start, end] }: SecretLintRuleReportDescriptor) => found.push({ name, isToken, start, end }),
    } as unknown as SecretLintRuleContext;
    const source = { content: text, ext: '.txt', filePath: undefined } as SecretLintSourceCode;
    /* oxlint-enable ours/banned-syntax */
    void rule.create(context, {}).file?.(source);
  }
  return found;
}

/**
 * Shapes that the preset does not know or knows too narrowly. The character class of GitHub tokens includes `.` and `-`: the
 * newest tokens end in a JWT, and a narrower class would leave most of it in clear text. Each pattern is global and linear in the
 * text, which may come from an agent or a stranger: lookaheads are bounded, or start only where a run of the class starts.
 */
const PATTERNS: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  {
    name: 'private key',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[\s\S]*)/gu,
  },
  { name: 'GitHub token', pattern: /\bgh[a-z]_[A-Za-z0-9._-]{36,}/gu },
  { name: 'GitHub token', pattern: /\bgithub_pat_[A-Za-z0-9._-]{36,}/gu },
  { name: 'AWS access key', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/gu },
  { name: 'model API key', pattern: /\bsk-(?=[A-Za-z0-9_-]{0,64}\d)(?=[A-Za-z0-9_-]{0,64}[A-Z])[A-Za-z0-9_-]{20,}/gu },
  { name: 'Google API key', pattern: /\bAIza[0-9A-Za-z_-]{35}/gu },
  { name: 'npm token', pattern: /\bnpm_[A-Za-z0-9]{36,}/gu },
  { name: 'Slack token', pattern: /\bxox[a-z]-[A-Za-z0-9-]{20,}/gu },
  { name: 'Stripe key', pattern: /\b[sr]k_live_[A-Za-z0-9]{20,}/gu },
  {
    name: 'JWT',
    // Starts where the run with the header starts. Trying every `eyJ` of a long run would take quadratic time.
    pattern: /(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*\beyJ)[A-Za-z0-9_-]{13,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/gu,
  },
];
