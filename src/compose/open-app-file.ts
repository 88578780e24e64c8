import { randomBytes } from 'node:crypto';
import { createAppFile } from '../adapters/files/create-app-file.ts';
import type { AppFile } from '../ports/app-registrar.ts';

/** The file of the data folder that holds the App which was registered from here. */
export function openAppFile(dataDir: string): AppFile {
  return createAppFile({ dataDir, newId: () => randomBytes(8).toString('hex') });
}
