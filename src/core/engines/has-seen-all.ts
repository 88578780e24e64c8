import type { EngineRun } from '../model/engine.ts';

/** Whether a run looked at everything. A file that it could not parse is a finding by itself. */
export function hasSeenAll({ complete, unparsed }: Pick<EngineRun, 'complete' | 'unparsed'>): boolean {
  return complete || unparsed !== undefined;
}
