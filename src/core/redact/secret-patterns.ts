/** A shape that only secrets have. */
export interface SecretPattern {
  readonly name: string;
  /** Global, so that all matches are found; never used with `test`. */
  readonly pattern: RegExp;
}

/**
 * Shapes of well-known secrets (T54). The class of GitHub's tokens holds `.` and `-`: its newest tokens end in a JWT, and a
 * narrower class would leave most of them in clear. Each is linear in the text, which may be an agent's or a stranger's: what
 * looks ahead is bounded, or starts only where a run of the class starts.
 */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
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
    // From the start of the run that holds the header: a try at every `eyJ` of one long run would take its length squared.
    pattern: /(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*\beyJ)[A-Za-z0-9_-]{13,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/gu,
  },
];
