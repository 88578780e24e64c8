import { AGENT_CONFIG } from '../judge/agent-config.ts';

const PLACES = AGENT_CONFIG.map((place) => (place.endsWith('*') ? `/${fold(place.slice(0, -1))}` : `/${fold(place)}/`));

/**
 * The tracked paths that an agent must not find. A path with the name of a folder counts, too: it is a link or a submodule, and what
 * it points to would be read as that folder.
 */
export function findAgentConfig(tracked: readonly string[]): readonly string[] {
  return tracked.filter((path) => {
    const folded = `/${fold(path)}/`;
    return PLACES.some((place) => folded.includes(place));
  });
}

function fold(path: string): string {
  return path.toLowerCase().normalize('NFC');
}
