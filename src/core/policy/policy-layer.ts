import type { POLICY_KEYS, ValueOf } from '../model/policy.ts';
import type { EnginesLayer } from './merge-engines.ts';

/** What a file may set of one declared key or section. */
export type LayerOf<One> = One extends { readonly keys: infer Keys }
  ? { readonly [Name in keyof Keys]?: LayerOf<Keys[Name]> }
  : One extends { readonly kind: 'engines' }
    ? EnginesLayer | null
    : ValueOf<One>;

/** What one file sets: any part of a policy, at any depth. What it leaves out stands as the layers below it have it. */
export type PolicyLayer = LayerOf<{ readonly keys: typeof POLICY_KEYS }>;
