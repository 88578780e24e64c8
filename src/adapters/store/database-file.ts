import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** The file of an open database. */
export interface DatabaseFile {
  /** Why the file is no longer the one that was opened; null: it is. */
  readonly findLoss: () => string | null;
  /** Idempotent. Only after all connections are closed: closing a file frees the locks that this process has on it. */
  readonly close: () => void;
}

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;

/**
 * Holds the file at `path` open to look at it. A connection goes on with a file that was deleted or replaced, and with pages in
 * memory of one that was cut: what it writes then is lost.
 */
export function openDatabaseFile(path: string): DatabaseFile {
  const file = openSync(path, 'r');
  const opened = fstatSync(file);

  function findLoss(): string | null {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return 'the database file was removed';
    if (found.dev !== opened.dev || found.ino !== opened.ino) return 'the database file was replaced';
    const header = Buffer.alloc(HEADER_BYTES);
    const isWhole = readSync(file, header, 0, HEADER_BYTES, 0) === HEADER_BYTES;
    if (!isWhole || header.toString('latin1', 0, MAGIC.length) !== MAGIC) return 'the database file was overwritten';
    return found.size < toSize(header) ? 'the database file was cut off' : null;
  }

  let isOpen = true;
  return {
    findLoss,
    close: () => {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

/** Size that the header states, in bytes (https://www.sqlite.org/fileformat.html, sections 1.3.2 and 1.3.8). */
function toSize(header: Buffer): number {
  const pageSize = header.readUInt16BE(16);
  return (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(28);
}
