import SqliteDatabase from 'better-sqlite3';

/** What each code of SQLite, without its suffix, says, and what a person does about it. */
const WORDS: Readonly<Record<string, readonly [what: string, advice: string]>> = {
  SQLITE_FULL: ['its disk is full', 'make room, and start again'],
  SQLITE_BUSY: ['another process holds it', 'wait for that process or end it, and start again'],
  SQLITE_READONLY: ['it cannot be written', 'let this user write to it and to its folder'],
  SQLITE_IOERR: ['its disk fails', 'look at the disk'],
};

/** What happened to the database, and what to do about it; null: it is no error of a database. */
export function explainDatabaseError(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  // Drizzle wraps some errors.
  if (!(error instanceof SqliteDatabase.SqliteError)) return explainDatabaseError(error.cause);
  const { code, message } = error;
  // Where the disk is full, SQLite rolls back by itself, and the error of the second rollback hides the first one.
  const kind = message.includes('cannot rollback') ? 'SQLITE_FULL' : code.split('_', 2).join('_');
  const words = WORDS[kind];
  return words === undefined ? message : `${words[0]} (${message}): ${words[1]}`;
}
