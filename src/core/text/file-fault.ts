import { toError } from '../model/errors.ts';

/** Why a file that a person named cannot be read, in words of theirs: `there is no file a.yml`. */
export function toFileFault(error: unknown, path: string): string {
  switch (toCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `there is no file ${path}`;
    case 'EISDIR':
      return `${path} is a folder, not a file`;
    case 'EACCES':
    case 'EPERM':
      return `${path} cannot be read: permission denied`;
    default:
      return `${path} cannot be read: ${toError(error).message}`;
  }
}

function toCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
