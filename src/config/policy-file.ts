import type { PolicyLayer } from '../core/policy/policy-layer.ts';
import { FAULT_MARK } from '../core/policy/policy-place.ts';
import { type FileProblem, MAX_YAML_BYTES, parseYaml, type YamlParse } from './parse-yaml.ts';
import { PolicyFile } from './policy-file-schema.ts';

/** Maximum size of a policy file in bytes. A larger one is refused without parsing. */
export const MAX_POLICY_BYTES = MAX_YAML_BYTES;

/** A problem in a policy file. `line` and `column` start at 1. */
export type PolicyProblem = FileProblem;

/** The settings of a policy file, or its problems. */
export type PolicyFileParse =
  | { readonly kind: 'ok'; readonly layer: PolicyLayer }
  | Extract<YamlParse<never>, { kind: 'invalid' }>;

/**
 * Parses `.github/ratchet.yml`. A missing or empty file sets nothing. A file with any fault returns only its problems,
 * each with its place. Never throws.
 */
export function parsePolicyFile(text: string | null): PolicyFileParse {
  if (text === null || text.trim() === '') return { kind: 'ok', layer: {} };
  if (text.startsWith(FAULT_MARK)) {
    return { kind: 'invalid', problems: [{ line: 1, column: 1, message: text.slice(FAULT_MARK.length) }] };
  }
  const parsed = parseYaml(text, PolicyFile);
  if (parsed.kind === 'invalid') return parsed;
  const layer = { ...parsed.value };
  delete layer.version;
  return { kind: 'ok', layer };
}
