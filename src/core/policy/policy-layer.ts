import type { Policy } from '../model/policy.ts';
import type { EnginesLayer } from './merge-engines.ts';

type SectionName = 'ci' | 'merge' | 'reviews' | 'labels' | 'changes';

/** What one file sets: any part of a policy, at any depth. What it leaves out stands as the layers below it have it. */
export type PolicyLayer = Partial<Omit<Policy, SectionName | 'engines'>> & {
  readonly [Name in SectionName]?: Partial<Policy[Name]>;
} & {
  /** `null`: no engines, whatever the layers below say. */
  readonly engines?: EnginesLayer | null;
};
