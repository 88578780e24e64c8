import { toCanonicalScope } from '../core/engines/canonical-scope.ts';
import { toOverlapError } from '../core/engines/exit-codes.ts';
import { toScopeError } from '../core/engines/plan-engine.ts';
import { resolveScope } from '../core/engines/resolve-scope.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../core/model/default-policy.ts';
import type { EngineConfigError } from '../core/model/engine.ts';
import type { EnginesPolicy } from '../core/model/policy.ts';
import { CATALOGUE } from './catalogue.ts';
import { settleEngines } from './settle-engines.ts';

/**
 * The configuration errors of a policy's engines that need no look at the repository: those that "Ratchet / quality" and `ratchet
 * check` report, each of which switches off its engine. `root`: absolute path of the repository; null: it is not known.
 */
export function findEngineErrors(
  policy: EnginesPolicy | null,
  root: string | null = null,
): readonly EngineConfigError[] {
  const { configErrors, settings, specs } = settleEngines({ policy, catalogue: CATALOGUE, detected: [] });
  const enabled = specs.filter(({ id }) => settings[id]?.enabled !== false);
  const scopes = enabled.flatMap(({ id }) => {
    const paths = settings[id]?.paths ?? null;
    const config = paths === null ? null : toCanonicalScope(paths, root);
    const overlap = toOverlapError(id, settings[id] ?? DEFAULT_ENGINE_SETTINGS);
    return [...toScopeError(id, resolveScope('target', { cli: null, env: null, config })), ...overlap];
  });
  return [...configErrors, ...scopes];
}
