import { isAbsolute, join } from 'node:path';

/** Where what must outlive a process is kept for this person: `$XDG_STATE_HOME/ratchet`, else `~/.local/state/ratchet`; null: no HOME. */
export function findStateFolder(variables: Readonly<Record<string, string | undefined>>): string | null {
  const states = variables['XDG_STATE_HOME'] ?? '';
  // The XDG standard says to ignore a relative path.
  if (isAbsolute(states)) return join(states, 'ratchet');
  const home = variables['HOME'] ?? '';
  return isAbsolute(home) ? join(home, '.local', 'state', 'ratchet') : null;
}
