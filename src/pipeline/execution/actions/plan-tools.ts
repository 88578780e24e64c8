import type { ActionAdapter } from '../../../ports/execution.ts';
import type { Workplace } from '../../../ports/workplace.ts';
import { createFile } from './create-file.ts';
import { deleteFile } from './delete-file.ts';
import { modifyFile } from './modify-file.ts';
import { readFile } from './read-file.ts';
import { runCommand } from './run-command.ts';

/** The actions on files and commands of a workplace (004.R3). */
export const PLACE_ACTIONS: readonly ActionAdapter<Workplace>[] = [
  createFile,
  modifyFile,
  deleteFile,
  readFile,
  runCommand,
];
