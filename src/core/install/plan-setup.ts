import type { Policy } from '../model/policy.ts';
import type { SetupReport } from '../model/setup-report.ts';
import { detectInstalls } from './detect-install.ts';

/** How to prepare the dependencies of a tree. */
export interface SetupPlan extends Pick<SetupReport, 'source' | 'commands' | 'notes'> {
  /** Programs that the commands of a detection need. */
  readonly programs: readonly string[];
  /** Whether the commands may read registries. */
  readonly isConnected: boolean;
}

/** The policy's commands; if it has none, what the lockfiles of the root name. */
export function planSetup(
  { setup, install }: Pick<Policy, 'setup' | 'install'>,
  tree: {
    readonly tracked: readonly string[];
    /** Texts of `DETECTION_FILES`. */
    readonly texts: Readonly<Record<string, string>>;
    /** Whether commands on this machine can read registries at all. */
    readonly hasRegistries: boolean;
  },
): SetupPlan {
  const isConnected = tree.hasRegistries && install.registries;
  if (setup.length > 0) return { source: 'policy', commands: setup, programs: [], notes: [], isConnected };
  const nothing = { source: 'none', commands: [], programs: [], isConnected } as const;
  if (!install.detect) return { ...nothing, notes: [] };
  const { installs, notes } = detectInstalls(tree.tracked, tree.texts);
  if (installs.length === 0) return { ...nothing, notes };
  if (!isConnected) {
    const names = installs.map(({ from }) => from).join(', ');
    const why = tree.hasRegistries ? '`install.registries` is off' : 'this machine gives them no network';
    return { ...nothing, notes: [`The packages of ${names} are not installed, because ${why}.`] };
  }
  return {
    source: 'detected',
    commands: installs.map(({ command }) => command),
    programs: [...new Set(installs.flatMap(({ programs }) => programs))],
    notes,
    isConnected,
  };
}
