import type { POLICY_KEYS, ValueOf } from '../model/policy.ts';
import type { EnginesLayer } from './merge-engines.ts';

/** The values that a file may set for a declared key or section. */
export type LayerOf<One> = One extends { readonly keys: infer Keys }
  ? { readonly [Name in keyof Keys]?: LayerOf<Keys[Name]> }
  : One extends { readonly kind: 'engines' }
    ? EnginesLayer | null
    : One extends { readonly nullable: 'unset' }
      ? NonNullable<ValueOf<One>>
      : ValueOf<One>;

/** The settings of one file: any part of a policy. What it omits comes from the layers below. */
export type PolicyLayer = LayerOf<{ readonly keys: typeof POLICY_KEYS }>;
