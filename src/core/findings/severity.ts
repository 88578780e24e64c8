import { type ParsedFinding, SEVERITIES, type Severity } from '../model/finding.ts';

/** Severity words of tools (resolution C14). */
const WORDS: ReadonlyMap<string, Severity> = new Map<string, Severity>([
  ['blocker', 'blocker'],
  ['fatal', 'blocker'],
  ['critical', 'blocker'],
  ['high', 'high'],
  ['error', 'high'],
  ['failure', 'high'],
  ['medium', 'medium'],
  ['moderate', 'medium'],
  ['warning', 'medium'],
  ['warn', 'medium'],
  ['low', 'low'],
  ['info', 'low'],
  ['information', 'low'],
  ['informational', 'low'],
  ['note', 'low'],
  ['notice', 'low'],
  ['none', 'low'],
  ['hint', 'low'],
  ['style', 'low'],
]);

/** Our severity for a tool's word. An unknown word may be bad news, so it is `medium`. */
export function toSeverity(native: string): Severity {
  return WORDS.get(native.trim().toLowerCase()) ?? 'medium';
}

/** Whether the tool itself says that a finding is no problem (SARIF: level `none`). It is shown, and fails nothing. */
export function isHarmless({ native }: Pick<ParsedFinding, 'native'>): boolean {
  return native === 'none';
}

/** Whether `severity` is at least as bad as `level`. */
export function isAtLeast(severity: Severity, level: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(level);
}
