import type { FailureName } from './failures.ts';
import type { ModelCall } from './model-call.ts';

/** How the model answers a call. */
export type Behavior =
  /** It follows its script. */
  | { readonly kind: 'ok' }
  /** It calls tools for ever. */
  | { readonly kind: 'endless' }
  | { readonly kind: 'fail'; readonly as: FailureName; readonly headers?: Readonly<Record<string, string>> }
  /** Status 200, and an error in the middle of the stream. */
  | { readonly kind: 'error_in_stream'; readonly as: FailureName }
  /** It never answers. */
  | { readonly kind: 'hang' }
  /** It answers, and falls silent in the middle. */
  | { readonly kind: 'stall' }
  /** The connection ends in the middle of the answer. */
  | { readonly kind: 'cut' }
  /** A page of a proxy in front of the model. */
  | { readonly kind: 'html'; readonly status?: number }
  | { readonly kind: 'broken_json' }
  /** A text of `events` pieces of `bytes` each, one every `everyMs`. `Infinity`: a stream that never ends. */
  | { readonly kind: 'slow'; readonly events: number; readonly bytes: number; readonly everyMs: number };

/** The calls that a behaviour is for. */
export type BehaviorScope = {
  /** Default: every model. */
  readonly model?: string;
  /** How many calls it leaves out at first. Default: 0. */
  readonly after?: number;
  /** How many calls it is for. Default: all. */
  readonly times?: number;
};

/** The behaviours of a model. The last one that is for a call counts. */
export type Behaviors = {
  readonly add: (behavior: Behavior, scope: BehaviorScope) => void;
  readonly clear: () => void;
  /** The behaviour for a call, which is counted. */
  readonly take: (call: Pick<ModelCall, 'model'>) => Behavior;
};

/** Creates the behaviours of a model that follows its script. */
export function createBehaviors(): Behaviors {
  const rules: { readonly behavior: Behavior; readonly scope: BehaviorScope; seen: number }[] = [];
  return {
    add: (behavior, scope) => {
      rules.push({ behavior, scope, seen: 0 });
    },
    clear: () => {
      rules.length = 0;
    },
    take: ({ model }) => {
      let taken: Behavior = { kind: 'ok' };
      for (const rule of rules) {
        const { model: only = model, after = 0, times = Infinity } = rule.scope;
        if (only !== model) continue;
        rule.seen += 1;
        if (rule.seen > after && rule.seen <= after + times) taken = rule.behavior;
      }
      return taken;
    },
  };
}
