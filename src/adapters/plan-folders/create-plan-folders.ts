import type { PlanFolders } from '../../ports/plan-folders.ts';
import { copyFolder, readFolder } from './copy-folder.ts';
import { writeBack } from './write-back.ts';

/** Folders of this machine. */
export function createPlanFolders(): PlanFolders {
  return { copy: copyFolder, read: readFolder, writeBack };
}
