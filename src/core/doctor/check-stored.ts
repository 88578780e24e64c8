import type { EpochMs } from '../model/ids.ts';
import type { CircuitFacts, DatabaseFacts, SwitchFacts } from '../model/machine-facts.ts';
import { toUtcMinute } from '../text/words.ts';
import { bad, type DoctorCheck, good, warn } from './doctor-check.ts';

export function checkDatabase(facts: DatabaseFacts): DoctorCheck {
  if (facts.kind === 'none')
    return warn('database', 'there is none yet', 'Ratchet creates it when it starts; check RATCHET_DATA_DIR.');
  const { bytes, integrity, schema } = facts;
  const size = `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  if (integrity !== null && integrity !== 'ok')
    return bad('database', `it is damaged: ${integrity}`, 'Stop Ratchet, and restore a backup of ratchet.db.');
  if (!schema.isKnown) {
    return bad(
      'database',
      'it was written by another, probably newer version of Ratchet',
      'Run that version, or restore the backup that was made before the upgrade.',
    );
  }
  if (integrity === null)
    return warn('database', `${size}, too large to be checked now`, 'Ratchet checks it when it starts.');
  const versions = `schema ${String(schema.applied)} of ${String(schema.known)}`;
  if (schema.applied < schema.known)
    return warn(
      'database',
      `${size}, ${versions}`,
      'Start this version of Ratchet: it copies and migrates the database.',
    );
  return good('database', `${size}, ${versions}, no damage`);
}

export function checkCircuits(circuits: readonly CircuitFacts[], now: EpochMs): readonly DoctorCheck[] {
  const open = circuits.filter(({ until }) => until === null || until > now);
  if (open.length === 0) return [good('circuits', 'all are closed')];
  return open.map(({ agent, fault, until }) => {
    const end = until === null ? 'until its configuration changes' : `until ${toUtcMinute(until)}`;
    const fix =
      until === null
        ? 'Check the key, the credit and the URL of the model, and change the key file or the configuration.'
        : 'It closes by itself. If it opens again, ask the provider of the model.';
    return warn('circuits', `the model of ${agent} is not called ${end} (${fault})`, fix);
  });
}

export function checkSwitches(switches: readonly SwitchFacts[]): readonly DoctorCheck[] {
  if (switches.length === 0) return [good('switches', 'agents are switched on')];
  return switches.map(({ repositoryId, offSince, reason }) => {
    const where = repositoryId === null ? 'all repositories' : `the repository ${String(repositoryId)}`;
    const why = reason.trim() === '' ? '' : `: ${JSON.stringify(reason.slice(0, 200))}`;
    return warn(
      'switches',
      `agents are switched off for ${where} since ${toUtcMinute(offSince)}${why}`,
      'Switch them on with the admin API when they may work again.',
    );
  });
}
