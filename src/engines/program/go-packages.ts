import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import type { EnginePlan, EngineSpec } from '../../core/model/engine.ts';

/** Folders that Go's own patterns pass over, too: broken code lies there on purpose. */
const PASSED_OVER = /^(?:testdata|vendor|[_.][^/]+)$/u;

/** The packages of a plan as Go names them: `./cmd/x`. Where all of them are passed over they are named nevertheless. */
export function toPackages(plan: EnginePlan): readonly string[] {
  const named = toTargetsFrom(plan).map((target) => (/^\.{0,2}(?:\/|$)/u.test(target) ? target : `./${target}`));
  const known = named.filter((target) => !target.split('/').some((segment) => isPassedOver(segment)));
  return known.length === 0 ? named : known;
}

function isPassedOver(segment: string): boolean {
  return segment !== '.' && segment !== '..' && PASSED_OVER.test(segment);
}

/** No other toolchain, and no module, is fetched; caches lie in the home folder that the run is given. */
export const GO_ENV: EngineSpec['env'] = { GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '-mod=readonly' };

/** Files of which Go's packages are made. */
export const GO_FILES: readonly string[] = ['**/*.go'];

/** What tells Go how to build. */
export const GO_CONFIG_FILES: readonly string[] = ['**/go.mod', '**/go.sum', 'go.work'];
