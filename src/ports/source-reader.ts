import type { SourceFacts } from '../core/model/source-facts.ts';

/** Reads what a file says about its tests. Total: what it cannot read is not readable. */
export type ReadSource = (path: string, text: string) => SourceFacts;
