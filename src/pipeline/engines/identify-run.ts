import { findConfigFiles, toConfigDigest, toRunSignature } from '../../core/engines/run-signature.ts';
import { sha256 } from '../../core/hash/sha256.ts';
import type { EnginePlan, EngineSpec } from '../../core/model/engine.ts';
import type { EngineSettings } from '../../core/model/policy.ts';
import type { EngineHost } from '../../ports/engine-host.ts';
import type { Tool } from './find-tool.ts';
import { forEachAtOnce } from './for-each-at-once.ts';

/** Identity of a run, known before it starts. */
export interface RunIdentity {
  /** See `EngineRun.signature`. */
  readonly signature: string;
  /** null: the run must not be cached. */
  readonly cacheKey: string | null;
}

/** Change it when the format of payloads, the arguments of tools or the parsers change. */
const CACHE_FORMAT = 'run-4';
const MAX_CONFIG_BYTES = 1024 * 1024;
const READ_AT_ONCE = 32;

/**
 * Computes signature and cache key of a plan. The key covers the plan, the signature (tool version, configuration files), the
 * content of all files that the tool may read, and the packages next to it. It changes with any file, plugin or setting. A tool of
 * unknown version, and content that cannot be identified, are not cached.
 */
export async function identifyRun(
  host: EngineHost,
  {
    spec,
    plan,
    settings,
    tool,
    dependencies,
  }: {
    readonly spec: EngineSpec;
    readonly plan: EnginePlan;
    readonly settings: EngineSettings;
    readonly tool: Tool;
    readonly dependencies: EngineHost['dependencies'];
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
  const content = await host.contentHash();
  if (content === null) return { signature, cacheKey: null };
  const parts = [CACHE_FORMAT, plan.hash, signature, content, dependencies, installed];
  return { signature, cacheKey: sha256(JSON.stringify(parts)) };
}
