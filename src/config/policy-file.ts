import type { PolicyLayer } from '../core/policy/policy-layer.ts';
import { type FileProblem, MAX_YAML_BYTES, parseYaml, type YamlParse } from './parse-yaml.ts';
import { PolicyFile } from './policy-file-schema.ts';

/** A larger policy file is refused unread. In bytes. */
export const MAX_POLICY_BYTES = MAX_YAML_BYTES;

/** One thing that is wrong with a policy file; `line` and `column` start at 1. */
export type PolicyProblem = FileProblem;

/** What a policy file sets, or what is wrong with it. */
export type PolicyFileParse =
  | { readonly kind: 'ok'; readonly layer: PolicyLayer }
  | Extract<YamlParse<never>, { kind: 'invalid' }>;

/**
 * Reads `.github/ratchet.yml`; no file and an empty one set nothing. A file with any fault gives its problems, each with its
 * place, and never half a policy. Never throws, whatever the text is.
 */
export function parsePolicyFile(text: string | null): PolicyFileParse {
  if (text === null || text.trim() === '') return { kind: 'ok', layer: {} };
  const parsed = parseYaml(text, PolicyFile);
  if (parsed.kind === 'invalid') return parsed;
  const layer = { ...parsed.value };
  delete layer.version;
  return { kind: 'ok', layer };
}
