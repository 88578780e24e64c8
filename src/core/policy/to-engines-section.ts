import { DEFAULT_ENGINE_SETTINGS } from '../engines/default-engine-settings.ts';
import type { DeclaredEngine, EngineSettings, EnginesPolicy } from '../model/engine.ts';

/** `engines` as in a policy file, with the file's key names. */
export type EnginesSection = Readonly<Record<string, unknown>> | null;

/** The `engines` section that a file would need for this policy, without default settings. */
export function toEnginesSection(policy: EnginesPolicy | null): EnginesSection {
  if (policy === null) return null;
  const engines = Object.entries(policy.engines).map(([id, settings]) => [id, toEntry(settings)] as const);
  return { auto: policy.auto, failLevel: policy.failLevel, ...Object.fromEntries(engines) };
}

function toEntry({ declared, ...settings }: EngineSettings): unknown {
  const set = Object.entries(settings).filter(([name, value]) => isSet(name, value));
  const entry = { ...Object.fromEntries(set), ...(declared === null ? {} : toDeclaration(declared)) };
  const [first, ...others] = Object.keys(entry);
  if (first === undefined) return true;
  return first === 'enabled' && others.length === 0 ? settings.enabled : entry;
}

function isSet(name: string, value: unknown): boolean {
  const builtIn: unknown = Object.entries(DEFAULT_ENGINE_SETTINGS).find(([key]) => key === name)?.[1];
  return JSON.stringify(value) !== JSON.stringify(builtIn);
}

function toDeclaration({ targetMode, matcher, ...declared }: DeclaredEngine): Readonly<Record<string, unknown>> {
  const { command, format, kind, globs, from } = declared;
  return { command, format, kind, globs, targets: targetMode, from, ...(matcher === null ? {} : { matcher }) };
}
