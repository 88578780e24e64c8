import { findConfigFiles, toConfigDigest, toRunSignature } from '../../core/engines/run-signature.ts';
import { sha256 } from '../../core/hash/sha256.ts';
import type { EnginePlan, EngineSettings, EngineSpec } from '../../core/model/engine.ts';
import type { EngineHost } from '../../ports/engine-host.ts';
import type { Tool } from './find-tool.ts';
import { forEachAtOnce } from './for-each-at-once.ts';

/** What a run is known by, before it is made. */
export interface RunIdentity {
  /** See `EngineRun.signature`. */
  readonly signature: string;
  /** Under which it is cached; null: it must not be. */
  readonly cacheKey: string | null;
}

/** Changes when a stored run would no longer say the same: with the form of payloads, arguments of tools, and what parsers read. */
const CACHE_FORMAT = 'run-2';
const MAX_CONFIG_BYTES = 1024 * 1024;
const READ_AT_ONCE = 32;

/**
 * Signature and cache key of a plan. The key is made of the plan, the signature (tool version, configuration files), the content
 * of all files, and what is installed beside the tool: a fresh clone of the same content has the same, and a change of an imported
 * file, of a plugin or of a setting has another. A tool whose version nobody knows is not cached.
 */
export async function identifyRun(
  host: EngineHost,
  {
    spec,
    plan,
    settings,
    tool,
  }: {
    readonly spec: EngineSpec;
    readonly plan: EnginePlan;
    readonly settings: EngineSettings;
    readonly tool: Tool;
  },
): Promise<RunIdentity> {
  const { version, installed } = tool;
  const texts: Record<string, string | null> = {};
  await forEachAtOnce(findConfigFiles(spec, plan, host.files), READ_AT_ONCE, async (path) => {
    texts[path] = await host.readText(path, MAX_CONFIG_BYTES);
  });
  const configDigest = toConfigDigest(texts, settings.declared);
  const signature = toRunSignature({ scopeHash: plan.scopeHash, version, configDigest });
  if (!spec.isCacheable || version === null) return { signature, cacheKey: null };
  const parts = [CACHE_FORMAT, plan.hash, signature, await host.contentHash(), host.dependencies, installed];
  return { signature, cacheKey: sha256(JSON.stringify(parts)) };
}
