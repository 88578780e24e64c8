import { readFile } from 'node:fs/promises';
import { ConfigError } from '../core/model/errors.ts';
import { toFileFault } from '../core/text/file-fault.ts';

/** Reads the file that a variable names. @throws ConfigError if it cannot be read. */
export async function readNamedFile(variable: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`${variable}: ${toFileFault(error, path)}`]);
  }
}
