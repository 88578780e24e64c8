import { isJsonObject, type JsonObject } from '../../core/json/parse-json-object.ts';
import type { AgentEvent } from '../../ports/agent.ts';

/** The text at a path of keys; null if there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : null;
}

/** The objects of the list at a path of keys. */
export function objectsAt(value: unknown, ...path: readonly string[]): readonly JsonObject[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}

/** The first text at one of the keys. */
export function anyTextAt(value: unknown, keys: readonly string[]): string {
  return keys.map((key) => textAt(value, key)).find((text) => text !== null) ?? '';
}

/** What stands at a path of keys. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), value);
}

/** What an agent does with each of its tools, by their names. */
export type ToolUses = Readonly<Record<string, Extract<AgentEvent, { readonly kind: 'doing' }>['what']>>;

/** Names of the arguments that say what a tool works on, the most telling first. */
const DETAILS = ['file_path', 'filePath', 'absolute_path', 'path', 'command', 'pattern', 'query'] as const;

/** The event of a call to a tool, by what is known of the agent's tools. Other tools say nothing. */
export function toToolEvents(tools: ToolUses, name: string | null, input: unknown): readonly AgentEvent[] {
  const what = name === null ? undefined : tools[name];
  return what === undefined ? [] : [{ kind: 'doing', what, detail: anyTextAt(input, DETAILS) }];
}
