import { join } from 'node:path';
import type { RunId } from '../../core/model/ids.ts';
import type { Mirror } from '../../ports/git.ts';

/** The git adapter's paths below the data folder. Every name is made of ids, never of text from GitHub. */
export interface Layout {
  readonly dataDir: string;
  readonly mirrors: string;
  readonly sessions: string;
  /** Folders that are being removed, or could not be removed yet. */
  readonly trash: string;
  readonly mirror: (repositoryId: number) => Mirror;
  readonly session: (runId: RunId) => SessionLayout;
}

/** The folders of one session. */
export interface SessionLayout {
  readonly folder: string;
  readonly controlDir: string;
  /** Holds the folders of the session's sites. The site adapter creates and removes them. */
  readonly sites: string;
}

/** Mode of the parent folders of something that a sandbox mounts: others may enter but not list them. */
export const PASS_THROUGH_MODE = 0o711;

/** Builds the paths below `dataDir`, which must be free of symbolic links. */
export function createLayout(dataDir: string): Layout {
  const mirrors = join(dataDir, 'mirrors');
  const sessions = join(dataDir, 'sessions');
  return {
    dataDir,
    mirrors,
    sessions,
    trash: join(dataDir, 'trash'),
    mirror: (repositoryId) => {
      const gitDir = join(mirrors, `${String(repositoryId)}.git`);
      return { repositoryId, gitDir, objectsDir: join(gitDir, 'objects') };
    },
    session: (runId) => {
      const folder = join(sessions, runId);
      return {
        folder,
        controlDir: join(folder, 'control.git'),
        sites: join(folder, 'sites'),
      };
    },
  };
}
