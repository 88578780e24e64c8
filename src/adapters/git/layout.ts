import { join } from 'node:path';
import type { RunId } from '../../core/model/ids.ts';
import type { Mirror } from '../../ports/git.ts';

/** Where the git adapter keeps what, below the data folder. Every name is made of ids, never of text from GitHub. */
export interface Layout {
  readonly dataDir: string;
  readonly mirrors: string;
  readonly sessions: string;
  /** Folders on their way out, and those that could not be removed yet. */
  readonly trash: string;
  readonly mirror: (repositoryId: number) => Mirror;
  readonly session: (runId: RunId) => SessionLayout;
}

/** The folders of one session. */
export interface SessionLayout {
  readonly folder: string;
  readonly controlDir: string;
  /** Folders of its sites: each is made and removed by the adapter that opens them. */
  readonly sites: string;
}

/** Mode of folders on the way to something that a sandbox mounts: others may pass, not look. */
export const PASS_THROUGH_MODE = 0o711;

/** Paths below `dataDir`, which must be free of symbolic links. */
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
