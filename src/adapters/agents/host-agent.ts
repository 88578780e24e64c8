import type { Agent } from '../../ports/agent.ts';
import type { Mount } from '../../ports/sandbox.ts';

/** An agent whose files are on this machine. */
export interface HostAgent extends Agent {
  /** Read-only mounts that its programs need. Throws if `check` reports a missing file. */
  readonly mounts: () => readonly Mount[];
}
