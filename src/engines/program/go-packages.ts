import { toTargetsFrom } from '../../core/engines/find-targets.ts';
import type { EnginePlan, EngineSpec } from '../../core/model/engine.ts';

/** Folders that Go's own patterns skip too: they may contain broken code on purpose. */
const SKIPPED = /^(?:testdata|vendor|[_.][^/]+)$/u;

/** A plan's packages in Go's notation (`./cmd/x`), without skipped folders unless nothing else is left. */
export function toPackages(plan: EnginePlan): readonly string[] {
  const named = toTargetsFrom(plan).map((target) => (/^\.{0,2}(?:\/|$)/u.test(target) ? target : `./${target}`));
  const checked = named.filter((target) => !target.split('/').some((segment) => isSkipped(segment)));
  return checked.length === 0 ? named : checked;
}

function isSkipped(segment: string): boolean {
  return segment !== '.' && segment !== '..' && SKIPPED.test(segment);
}

/** Downloads no other toolchain and no module. Caches are in the home folder of the run. */
export const GO_ENV: EngineSpec['env'] = { GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '-mod=readonly' };

/** Go source files. */
export const GO_FILES: readonly string[] = ['**/*.go'];

/** Files that configure a Go build. */
export const GO_CONFIG_FILES: readonly string[] = ['**/go.mod', '**/go.sum', 'go.work'];
