import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { CommandStore, StoredCommand } from '../../ports/store.ts';
import type { Database } from './database.ts';
import { parseJsonColumn, StoredCommandJson } from './json-columns.ts';
import { commands } from './schema.ts';

/** Counts only within the newest commands of all pull requests. The table has no index for such a query. */
const COUNTED_COMMANDS = 20_000;
/** How many of the newest commands of all pull requests may hold the first half of a double click. */
const CLICKED_COMMANDS = 1_000;
const DOUBLE_CLICK_MS = 1_000;

/** Commands of which the newest counts. */
const DECISIONS = ['enable', 'disable', 'pause', 'resume', 'retry', 'stop'] as const;

/** Writer of `commands`. */
export interface CommandWriter extends CommandStore {
  readonly addCommand: (command: Omit<StoredCommand, 'id'>) => void;
  /** Whether the same account has pressed the same button just now (a double click), or the press is still to be carried out. */
  readonly isPressed: (command: Omit<StoredCommand, 'id'>) => boolean;
}

const isRecent = sql`${commands.id} > (select max(id) from commands) - ${COUNTED_COMMANDS}`;

/** Creates the writer on `db`. */
export function createCommands(db: Database): CommandWriter {
  const pending = db
    .select()
    .from(commands)
    .where(and(eq(commands.workspaceKey, sql.placeholder('key')), isNull(commands.settledAt)))
    .orderBy(asc(commands.id))
    .prepare();
  const comment = { kind: commands.commentKind, id: commands.commentId };
  const owed = db
    .select({ id: commands.id, comment, reaction: commands.owedReaction })
    .from(commands)
    .where(and(eq(commands.workspaceKey, sql.placeholder('key')), isNotNull(commands.owedReaction)))
    .orderBy(asc(commands.id))
    .prepare();

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
    isPressed: (command) => isPressed(db, command),
    pendingCommands: (key) => pending.all({ key }).map(toStoredCommand),
    settleCommand: (id, outcome, at, owedReaction = null) => {
      db.update(commands)
        .set({ outcome, settledAt: at, owedReaction })
        .where(and(eq(commands.id, id), isNull(commands.settledAt)))
        .run();
    },
    isOvertaken: (stored) => isOvertaken(db, stored),
    owedReactions: (key) =>
      owed.all({ key }).flatMap(({ reaction, ...row }) => (reaction === null ? [] : [{ ...row, reaction }])),
    settleReaction: (id) => {
      db.update(commands).set({ owedReaction: null }).where(eq(commands.id, id)).run();
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

function isPressed(db: Database, { key, command, author, comment, receivedAt }: Omit<StoredCommand, 'id'>): boolean {
  const isSame = and(
    sql`${commands.id} > (select max(id) from commands) - ${CLICKED_COMMANDS}`,
    eq(commands.workspaceKey, key),
    eq(commands.authorId, author.id),
    eq(commands.commentKind, comment.kind),
    eq(commands.commentId, comment.id),
    eq(commands.command, JSON.stringify(command)),
  );
  const isCurrent = or(isNull(commands.settledAt), gt(commands.receivedAt, receivedAt - DOUBLE_CLICK_MS));
  return db.select({ id: commands.id }).from(commands).where(and(isSame, isCurrent)).limit(1).all().length > 0;
}

function isOvertaken(db: Database, { key, comment }: Pick<StoredCommand, 'key' | 'comment'>): boolean {
  if (comment.kind !== 'issue_comment' && comment.kind !== 'review_comment') return false;
  // GitHub's ids of comments grow with time, in each of the two kinds.
  const isNewer = and(eq(commands.commentKind, comment.kind), gt(commands.commentId, comment.id));
  const isDecision = inArray(sql`${commands.command} ->> '$.name'`, [...DECISIONS]);
  const newer = db
    .select({ id: commands.id })
    .from(commands)
    .where(and(isRecent, eq(commands.workspaceKey, key), isNewer, eq(commands.outcome, 'done'), isDecision))
    .limit(1)
    .get();
  return newer !== undefined;
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
