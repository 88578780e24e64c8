import type { EngineMode } from '../model/engine.ts';
import type { CanonicalScope } from './canonical-scope.ts';

/** The sources of a scope, strongest first. */
export type ScopeSource = 'cli' | 'env' | 'config' | 'default';

/**
 * What each source gives, in canonical form; null if it gives nothing. An empty list is different: there is nothing to check.
 * `cli` holds the paths of a command or the changed files of a pull request; null if those are unknown or truncated.
 */
export type ScopeSources = Readonly<Record<Exclude<ScopeSource, 'default'>, CanonicalScope | null>>;

export type ResolvedScope =
  /** `paths` is empty only if `cli` is: nothing was changed or asked for. */
  | { readonly kind: 'scope'; readonly source: ScopeSource; readonly paths: readonly string[] }
  /** A setting is an empty list, which switches the engine off regardless of the other sources. */
  | { readonly kind: 'switched_off'; readonly source: 'env' | 'config' }
  | {
      readonly kind: 'invalid';
      readonly source: Exclude<ScopeSource, 'default'>;
      readonly problems: readonly string[];
    };

/**
 * Resolves the scope, for both modes and all commands. The strongest source that gives a scope is used as a whole; nothing is
 * merged. TARGET ignores `cli` and differs in nothing else. Settings that are invalid or switch the engine off are reported
 * first, even if a stronger source would hide them: an error must not depend on the paths of a command.
 */
export function resolveScope(mode: EngineMode, { cli, env, config }: ScopeSources): ResolvedScope {
  const settings = [
    { source: 'env', scope: env },
    { source: 'config', scope: config },
  ] as const;
  for (const { source, scope } of settings) {
    if (scope?.kind === 'invalid') return { ...scope, source };
    if (scope?.paths.length === 0) return { kind: 'switched_off', source };
  }
  const fromCli = { source: 'cli', scope: mode === 'current' ? cli : null } as const;
  for (const { source, scope } of [fromCli, ...settings]) {
    if (scope !== null) return { ...scope, source };
  }
  return { kind: 'scope', source: 'default', paths: ['.'] };
}
