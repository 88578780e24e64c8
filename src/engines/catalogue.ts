import { checkCatalogue } from '../core/engines/check-catalogue.ts';
import type { EngineSpec } from '../core/model/engine.ts';
import { InvariantError } from '../core/model/errors.ts';
import { NODE_ENGINES } from './node/node-engines.ts';
import { PROGRAM_ENGINES } from './program/program-engines.ts';
import { PYTHON_ENGINES } from './python/python-engines.ts';

/** Every tool that Ratchet knows, sorted by id. */
export const CATALOGUE: readonly EngineSpec[] = assembleCatalogue([
  ...NODE_ENGINES,
  ...PYTHON_ENGINES,
  ...PROGRAM_ENGINES,
]);

/**
 * The entries, sorted by id.
 * @throws InvariantError if an entry contradicts itself or another one (resolution C9), so that the program does not start: such
 * a bug must not show first in somebody's findings.
 */
export function assembleCatalogue(specs: readonly EngineSpec[]): readonly EngineSpec[] {
  const problems = checkCatalogue(specs);
  if (problems.length > 0) throw new InvariantError(`the catalogue of engines is wrong: ${problems.join('; ')}`);
  return specs.toSorted((left, right) => (left.id < right.id ? -1 : 1));
}
