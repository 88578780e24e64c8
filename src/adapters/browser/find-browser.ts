import { access, constants } from 'node:fs/promises';

/** Of Debian and its kin, Fedora, Arch and Alpine. Not their launchers, which read files of /etc that a sandbox does not have. */
const KNOWN = [
  '/usr/lib/chromium/chromium',
  '/usr/lib64/chromium-browser/chromium-browser',
  '/usr/lib/chromium-browser/chromium-browser',
  '/usr/lib/chromium/chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
] as const;

/** Absolute path of the browser; null: there is none. A sandbox sees what lies below /usr. */
export async function findBrowser(executable: string | null): Promise<string | null> {
  for (const path of executable === null ? KNOWN : [executable]) {
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return null;
}
