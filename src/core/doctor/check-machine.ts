import type { DiskFacts, EntryFacts, ReachFacts } from '../model/machine-facts.ts';
import { bad, type DoctorCheck, good, warn } from './doctor-check.ts';

const GIB = 1024 ** 3;
const MIN_FREE_BYTES = GIB / 4;
const WARN_FREE_BYTES = 2 * GIB;
const MIN_FREE_INODES = 10_000;
const WARN_FREE_INODES = 100_000;

export function checkDisk({ freeBytes, freeInodes, totalInodes }: DiskFacts): DoctorCheck {
  const hasInodes = totalInodes > 0;
  const inodes = hasInodes ? `, ${String(freeInodes)} inodes` : '';
  const detail = `${(freeBytes / GIB).toFixed(1)} GiB${inodes} are free`;
  const fix = 'Make room on the disk of the data folder, or lower RATCHET_MAX_MIRROR_BYTES.';
  if (freeBytes < MIN_FREE_BYTES || (hasInodes && freeInodes < MIN_FREE_INODES)) return bad('disk', detail, fix);
  if (freeBytes < WARN_FREE_BYTES || (hasInodes && freeInodes < WARN_FREE_INODES)) return warn('disk', detail, fix);
  return good('disk', detail);
}

/** `entry` null: nothing is at the path. */
export function checkDataFolder(path: string, entry: EntryFacts | null): DoctorCheck {
  const shown = JSON.stringify(path);
  const own = 'Run `ratchet doctor` and Ratchet as the same user, and let that user own the folder (RATCHET_DATA_DIR).';
  if (entry === null)
    return warn(
      'data folder',
      `${shown} does not exist yet`,
      'Ratchet creates it when it starts; check RATCHET_DATA_DIR.',
    );
  if (entry.kind !== 'folder')
    return bad(
      'data folder',
      `${shown} is no folder`,
      'Set RATCHET_DATA_DIR to a folder of the user that runs Ratchet.',
    );
  if (!entry.isOwn) return bad('data folder', `${shown} belongs to another user`, own);
  if (!entry.isWritable) return bad('data folder', `${shown} cannot be written`, own);
  const canOthersList = (entry.mode & 0o066) !== 0;
  if (canOthersList) {
    return warn('data folder', `others can list or change ${shown}`, `chmod 711 ${path}`);
  }
  return good('data folder', shown);
}

/** Whether commands of pull requests can be run apart from this machine. */
export function checkSandbox(
  probe: { readonly kind: 'ok'; readonly profile: string } | { readonly kind: 'unavailable'; readonly why: string },
): DoctorCheck {
  if (probe.kind === 'ok') return good('sandbox', probe.profile);
  return bad(
    'sandbox',
    probe.why,
    'Until this is repaired, no agent and no validation runs. See "What it needs" in docs/operating.md.',
  );
}

/** What an agent says about itself before it is started. */
export interface AgentFacts {
  readonly name: string;
  readonly kind: string;
  readonly check:
    | { readonly kind: 'ok'; readonly version: string | null; readonly isNewer: boolean }
    | { readonly kind: 'unavailable'; readonly why: string };
}

export function checkAgent({ name, kind, check }: AgentFacts): DoctorCheck {
  if (check.kind === 'unavailable')
    return bad(
      'agents',
      `${name} (${kind}): ${check.why}`,
      'Install the program, or correct its path in the configuration.',
    );
  const version = check.version ?? 'without a version';
  if (!check.isNewer) return good('agents', `${name} (${kind}): ${version}`);
  return warn(
    'agents',
    `${name} (${kind}): ${version} is newer than the versions that were tried`,
    'It may work. If its runs fail in odd ways, install one of those versions.',
  );
}

/** The program that merges by structure. Without one, its conflicts go to an agent. */
export function checkMergeTool(
  found:
    | { readonly kind: 'found'; readonly tool: { readonly name: string; readonly version: string } }
    | { readonly kind: 'off' }
    | { readonly kind: 'missing'; readonly isWanted: boolean; readonly why: string },
): DoctorCheck {
  switch (found.kind) {
    case 'found':
      return good('merge tool', `${found.tool.name} ${found.tool.version}`);
    case 'off':
      return good('merge tool', 'RATCHET_STRUCTURAL_MERGE=off');
    case 'missing':
      return found.isWanted
        ? bad('merge tool', found.why, 'Install it, or correct RATCHET_STRUCTURAL_MERGE.')
        : good('merge tool', `none (${found.why}); conflicts of code go to an agent`);
  }
}

/** The result of one minimal call to a model. */
export function checkModelCall(
  name: string,
  probe: { readonly kind: 'ok'; readonly model: string } | { readonly kind: 'failed'; readonly why: string },
): DoctorCheck {
  if (probe.kind === 'ok') return good('model', `${name}: ${probe.model} answered`);
  return bad(
    'model',
    `${name}: ${probe.why}`,
    'Check the URL, the key file and the names of the models of this agent.',
  );
}

export function checkRegistry({ name, host, status, why }: ReachFacts): DoctorCheck {
  const fix = 'Check the network of this machine and the address; `setup` cannot install from this registry.';
  if (status === null) return warn('registries', `${name} (${host}): ${why}`, fix);
  if (status >= 500) return warn('registries', `${name} (${host}): it answered ${String(status)}`, fix);
  return good('registries', `${name} (${host}): reachable`);
}
