import { z } from 'zod';
import { ConfigError } from '../core/model/errors.ts';
import type { OperatorPolicy } from '../core/policy/operator-policy.ts';
import { parseYaml } from './parse-yaml.ts';
import { limits, PolicyDefaults } from './policy-file-schema.ts';

const off = z.literal(false).exactOptional();

/** The operator's file: what holds where no repository says otherwise, and what no repository gets more of. */
const OperatorFile = z.strictObject({
  version: z.literal(1).exactOptional(),
  defaults: PolicyDefaults.exactOptional(),
  ceilings: z
    .strictObject({
      mode: limits.mode.exactOptional(),
      maxAttempts: limits.maxAttempts.exactOptional(),
      maxLaunchesPerDay: limits.maxLaunchesPerDay.exactOptional(),
      sessionTimeoutMinutes: limits.minutes.exactOptional(),
      validateTimeoutMinutes: limits.minutes.exactOptional(),
      changes: z
        .strictObject({
          maxFiles: limits.maxFiles.exactOptional(),
          maxLines: limits.maxLines.exactOptional(),
          maxBytes: limits.maxBytes.exactOptional(),
        })
        .exactOptional(),
      ci: z.strictObject({ rerunFlaky: off, fixRedOnBase: off }).exactOptional(),
      merge: z.strictObject({ resolveConflicts: off, updateBranch: off }).exactOptional(),
      reviews: z.strictObject({ fix: off, resolveThreads: off }).exactOptional(),
      engines: z
        .strictObject({
          timeoutSeconds: limits.engineSeconds.exactOptional(),
          totalMinutes: limits.minutes.exactOptional(),
        })
        .exactOptional(),
      autoMerge: z.literal('hold').exactOptional(),
      labels: z.strictObject({ enable: z.null().exactOptional() }).exactOptional(),
    })
    .exactOptional(),
});

/**
 * The operator's file, as `RATCHET_POLICY_FILE` names it by `path`.
 * @throws ConfigError that lists each problem with its place: a ceiling that is mistyped must not be taken for none.
 */
export function parseOperatorFile(text: string, path: string): OperatorPolicy {
  const parsed = parseYaml(text, OperatorFile);
  if (parsed.kind === 'ok') return { defaults: parsed.value.defaults ?? {}, ceilings: parsed.value.ceilings ?? {} };
  throw new ConfigError(
    parsed.problems.map(
      ({ line, column, message }) =>
        `RATCHET_POLICY_FILE: ${path}, line ${String(line)}, column ${String(column)}: ${message}`,
    ),
  );
}
