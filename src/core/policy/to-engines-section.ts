import { DEFAULT_ENGINE_SETTINGS } from '../model/default-policy.ts';
import { DECLARATION_KEYS, type EngineSettings, type EnginesPolicy } from '../model/policy.ts';
import type { Section } from './section.ts';

/** The `engines` section, with the file's key names, that a file would need for this policy, without default settings. */
export function toEnginesSection(policy: EnginesPolicy | null): Section | null {
  if (policy === null) return null;
  const engines = Object.entries(policy.engines).map(([id, settings]) => [id, toEntry(settings)] as const);
  const { auto, failLevel, projects } = policy;
  return { auto, failLevel, ...(projects === undefined ? {} : { projects }), ...Object.fromEntries(engines) };
}

function toEntry({ declared, ...settings }: EngineSettings): unknown {
  const set = Object.entries(settings).filter(([name, value]) => isSet(name, value));
  const entry = { ...Object.fromEntries(set), ...(declared === null ? {} : toDeclaration({ ...declared })) };
  const [first, ...others] = Object.keys(entry);
  if (first === undefined) return true;
  return first === 'enabled' && others.length === 0 ? settings.enabled : entry;
}

function isSet(name: string, value: unknown): boolean {
  const builtIn: unknown = Object.entries(DEFAULT_ENGINE_SETTINGS).find(([key]) => key === name)?.[1];
  return JSON.stringify(value) !== JSON.stringify(builtIn);
}

function toDeclaration(declared: Section): Section {
  const names = Object.keys(DECLARATION_KEYS).filter((name) => declared[name] !== null);
  return Object.fromEntries(names.map((name) => [name, declared[name]] as const));
}
