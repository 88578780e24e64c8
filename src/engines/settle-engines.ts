import { findNearest } from '../core/commands/find-nearest.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../core/model/default-policy.ts';
import type { EngineConfigError, EngineSpec } from '../core/model/engine.ts';
import type { EngineSettings, EnginesPolicy } from '../core/model/policy.ts';
import { toDeclaredSettings, toDeclaredSpec } from './generic/to-declared-spec.ts';

export interface EnginesToSettle {
  /** null: there is no policy, and the detected engines are used. */
  readonly policy: EnginesPolicy | null;
  readonly catalogue: readonly EngineSpec[];
  /** Ids of the engines that the repository seems to use. */
  readonly detected: readonly string[];
}

/** The engines to plan, each with all settings. An engine that a policy switches off is included, but not `enabled`. */
export interface SettledEngines {
  /** Sorted by id. */
  readonly specs: readonly EngineSpec[];
  /** Of each of `specs`, and of each engine with an error, because `required` counts there too. */
  readonly settings: Readonly<Record<string, EngineSettings>>;
  /** Each error switches off only its own engine (000.R25 to R28). Sorted by engine. */
  readonly configErrors: readonly EngineConfigError[];
}

type Settled =
  | { readonly kind: 'engine'; readonly spec: EngineSpec; readonly settings: EngineSettings }
  | { readonly kind: 'error'; readonly error: EngineConfigError; readonly settings: EngineSettings };

/** Which engines policy and repository ask for, and the errors in that. */
export function settleEngines({ policy, catalogue, detected }: EnginesToSettle): SettledEngines {
  const named = policy?.engines ?? {};
  const found = policy === null || policy.auto ? detected.filter((id) => catalogue.some((spec) => spec.id === id)) : [];
  const ids = [...new Set([...Object.keys(named), ...found])].toSorted();
  const settled = ids.map((id) => {
    const settings = Object.hasOwn(named, id) ? named[id] : undefined;
    return [id, settleEngine(id, settings ?? DEFAULT_ENGINE_SETTINGS, catalogue)] as const;
  });
  return {
    specs: settled.flatMap(([, engine]) => (engine.kind === 'engine' ? [engine.spec] : [])),
    settings: Object.fromEntries(settled.map(([id, { settings }]) => [id, settings])),
    configErrors: settled.flatMap(([, engine]) => (engine.kind === 'error' ? [engine.error] : [])),
  };
}

function settleEngine(id: string, settings: EngineSettings, catalogue: readonly EngineSpec[]): Settled {
  const { declared } = settings;
  const known = catalogue.find((spec) => spec.id === id) ?? null;
  if (declared === null)
    return known === null ? toError(settings, toUnknown(id, catalogue)) : { kind: 'engine', spec: known, settings };
  if (known !== null) {
    const message = 'Ratchet knows a tool of this name; a command of your own needs another one';
    return toError(settings, { engine: id, code: 'INVALID_SETTING', message });
  }
  return { kind: 'engine', spec: toDeclaredSpec(id, declared), settings: toDeclaredSettings(settings, declared) };
}

function toError(settings: EngineSettings, error: EngineConfigError): Settled {
  return { kind: 'error', error, settings };
}

function toUnknown(id: string, catalogue: readonly EngineSpec[]): EngineConfigError {
  // The keys next to the engines can be mistyped too.
  const names = [...catalogue.map((spec) => spec.id), 'auto', 'failLevel', 'projects'];
  const meant = findNearest(id, names);
  const hint =
    meant === null ? 'give it a `command` and a `format` to bring your own tool' : `did you mean \`${meant}\`?`;
  return { engine: id, code: 'UNKNOWN_ENGINE', message: `no tool of this name is known; ${hint}` };
}
