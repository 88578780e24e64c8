import type { Sha } from '../../core/model/ids.ts';
import type { SetupReport } from '../../core/model/setup-report.ts';
import type { PreparedDependencies } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import type { OrEnded } from '../prepare/or-ended.ts';
import { prepareDependencies } from '../prepare/prepare-dependencies.ts';
import type { PreparedFixup } from './fixup-session.ts';

/** Prepares the dependencies of a tree, and stores for the check run how. */
export async function prepareForFixup(
  deps: Deps,
  prepared: Pick<PreparedFixup, 'facts' | 'policy' | 'repository' | 'session' | 'tracked'>,
  treeish: Sha,
  signal: AbortSignal,
): Promise<OrEnded<PreparedDependencies | null>> {
  const tellSetup = (report: SetupReport): void => deps.store.noteSetup(prepared.session.id, report);
  return prepareDependencies(deps, { ...prepared, tellSetup }, treeish, signal);
}
