import SqliteDatabase from 'better-sqlite3';
import { toError } from '../../core/model/errors.ts';

/** Looks at every page, index and reference of a database, unlike the check of a start, which has to be quick. null: it is whole. */
export function findDamage(path: string): string | null {
  try {
    const connection = new SqliteDatabase(path, { fileMustExist: true });
    try {
      const found = String(connection.pragma('integrity_check(1)', { simple: true }));
      if (found !== 'ok') return found;
      const broken = connection.prepare('PRAGMA foreign_key_check').all().length;
      return broken === 0 ? null : `${String(broken)} rows refer to rows that are missing`;
    } finally {
      connection.close();
    }
  } catch (error) {
    return toError(error).message;
  }
}
