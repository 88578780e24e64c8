import { WANTED_PERMISSIONS } from '../doctor/wanted-access.ts';
import type { ConvertedApp } from '../model/registered-app.ts';

/**
 * Why the App that GitHub answered with is not the one of the manifest; null: it is. An App with other permissions, or of another
 * account, comes from another registration, and somebody else may know its key.
 */
export function judgeConvertedApp(
  { name, owner, permissions }: Pick<ConvertedApp, 'name' | 'owner' | 'permissions'>,
  organization: string,
): string | null {
  const excess = Object.entries(permissions).filter(([key, level]) => {
    const wanted = WANTED_PERMISSIONS.find((known) => known.name === key);
    return wanted === undefined || (level !== 'read' && level !== wanted.level);
  });
  const shown = JSON.stringify(name);
  if (excess.length > 0) {
    const names = excess.map(([key, level]) => `${key}: ${level}`).join(', ');
    return `${shown} has permissions that Ratchet did not ask for: ${names}`;
  }
  if (organization !== '' && owner?.toLowerCase() !== organization.toLowerCase()) {
    return `${shown} belongs to ${owner ?? 'no known account'}, not to ${organization}`;
  }
  return null;
}
