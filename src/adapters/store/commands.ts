import { and, asc, eq, gt, gte, inArray, isNull, sql } from 'drizzle-orm';
import type { CommandStore, StoredCommand } from '../../ports/store.ts';
import type { Database } from './database.ts';
import { parseJsonColumn, StoredCommandJson } from './json-columns.ts';
import { commands } from './schema.ts';

/** Counts only within the newest commands of all pull requests. The table has no index for such a query. */
const COUNTED_COMMANDS = 20_000;

/** Commands of which the newest counts. */
const DECISIONS = ['enable', 'disable', 'pause', 'resume', 'retry', 'stop'] as const;

/** Writer of `commands`. */
export interface CommandWriter extends CommandStore {
  readonly addCommand: (command: Omit<StoredCommand, 'id'>) => void;
}

/** Creates the writer on `db`. */
export function createCommands(db: Database): CommandWriter {
  const pending = db
    .select()
    .from(commands)
    .where(and(eq(commands.workspaceKey, sql.placeholder('key')), isNull(commands.settledAt)))
    .orderBy(asc(commands.id))
    .prepare();

  const isRecent = sql`${commands.id} > (select max(id) from commands) - ${COUNTED_COMMANDS}`;

  return {
    addCommand: ({ key, command, author, comment, receivedAt }) => {
      db.insert(commands)
        .values({
          workspaceKey: key,
          command: JSON.stringify(command),
          authorId: author.id,
          authorLogin: author.login,
          authorKind: author.kind,
          commentKind: comment.kind,
          commentId: comment.id,
          receivedAt,
        })
        .run();
    },
    pendingCommands: (key) => pending.all({ key }).map(toStoredCommand),
    settleCommand: (id, outcome, at) => {
      db.update(commands)
        .set({ outcome, settledAt: at })
        .where(and(eq(commands.id, id), isNull(commands.settledAt)))
        .run();
    },
    isOvertaken: ({ key, comment }) => {
      if (comment.kind !== 'issue_comment' && comment.kind !== 'review_comment') return false;
      // GitHub's ids of comments grow with time, in each of the two kinds.
      const isNewer = and(eq(commands.commentKind, comment.kind), gt(commands.commentId, comment.id));
      const isDecision = inArray(sql`${commands.command} ->> '$.name'`, [...DECISIONS]);
      return (
        db
          .select({ id: commands.id })
          .from(commands)
          .where(and(isRecent, eq(commands.workspaceKey, key), isNewer, eq(commands.outcome, 'done'), isDecision))
          .limit(1)
          .get() !== undefined
      );
    },
    settledComments: (key, authorId, since) => {
      const ofAuthor = and(eq(commands.workspaceKey, key), eq(commands.authorId, authorId));
      const isComment = inArray(commands.commentKind, ['issue_comment', 'review_comment']);
      return db
        .selectDistinct({ kind: commands.commentKind, id: commands.commentId })
        .from(commands)
        .where(and(isRecent, ofAuthor, isComment, gte(commands.settledAt, since)))
        .all().length;
    },
  };
}

function toStoredCommand(row: typeof commands.$inferSelect): StoredCommand {
  return {
    id: row.id,
    key: row.workspaceKey,
    command: parseJsonColumn(StoredCommandJson, row.command, { table: 'commands', column: 'command', id: row.id }),
    author: { id: row.authorId, login: row.authorLogin, kind: row.authorKind },
    comment: { kind: row.commentKind, id: row.commentId },
    receivedAt: row.receivedAt,
  };
}
