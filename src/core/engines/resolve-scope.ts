import type { EngineMode } from '../model/engine.ts';
import type { CanonicalScope } from './canonical-scope.ts';

/** Where a scope came from, the strongest first. */
export type ScopeSource = 'cli' | 'env' | 'config' | 'default';

/**
 * What each source says, in canonical form; null: it says nothing. That is not the same as an empty list, which says that there
 * is nothing to look at. `cli` are the paths of a command or the changed files of a pull request; where those are not known, or
 * are cut off, they are null.
 */
export type ScopeSources = Readonly<Record<Exclude<ScopeSource, 'default'>, CanonicalScope | null>>;

export type ResolvedScope =
  /** `paths` is empty only where `cli` says so: nothing was changed or asked for. */
  | { readonly kind: 'scope'; readonly source: ScopeSource; readonly paths: readonly string[] }
  /** A setting is an empty list: that switches off, whatever else is said. */
  | { readonly kind: 'switched_off'; readonly source: 'env' | 'config' }
  | {
      readonly kind: 'invalid';
      readonly source: Exclude<ScopeSource, 'default'>;
      readonly problems: readonly string[];
    };

/**
 * The one way in which a scope is found, for both modes and all commands: the strongest source that says something counts, and
 * counts whole; nothing is merged. TARGET never sees `cli`, and differs in nothing else. Settings that cannot be used or switch
 * off are told first, even where a stronger source would hide them: a mistake does not come and go with the paths of a command.
 */
export function resolveScope(mode: EngineMode, { cli, env, config }: ScopeSources): ResolvedScope {
  const settings = [
    { source: 'env', said: env },
    { source: 'config', said: config },
  ] as const;
  for (const { source, said } of settings) {
    if (said?.kind === 'invalid') return { ...said, source };
    if (said?.paths.length === 0) return { kind: 'switched_off', source };
  }
  const asked = { source: 'cli', said: mode === 'current' ? cli : null } as const;
  for (const { source, said } of [asked, ...settings]) {
    if (said !== null) return { ...said, source };
  }
  return { kind: 'scope', source: 'default', paths: ['.'] };
}
