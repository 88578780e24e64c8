import { appendFileSync } from 'node:fs';
import Database from 'better-sqlite3';

/**
 * Loaded before the product (`node --import`): ends the process with a real SIGKILL around the transaction that records the nth event of a
 * kind. KILL_AT=`attempt_finished 1 before` is before its commit, `after` is right after it.
 */
const [type, nth, when] = (process.env['KILL_AT'] ?? '').split(' ');
let seen = 0;
let isDue = false;

function die() {
  const log = process.env['KILL_LOG'];
  if (log !== undefined) appendFileSync(log, `${process.env['KILL_AT']}\n`);
  process.kill(process.pid, 'SIGKILL');
}

const { prepare, transaction } = Database.prototype;
Database.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql);
  if (!sql.startsWith('insert into "run_events"')) return statement;
  const run = statement.run.bind(statement);
  statement.run = (...values) => {
    const result = run(...values);
    if (values.includes(type)) seen += 1;
    if (values.includes(type) && seen === Number(nth)) {
      if (when === 'before') die();
      isDue = true;
    }
    return result;
  };
  return statement;
};
Database.prototype.transaction = function (work) {
  const made = transaction.call(this, work);
  const wrap =
    (run) =>
    (...values) => {
      const result = run(...values);
      if (isDue && !this.inTransaction) die();
      return result;
    };
  return Object.defineProperties(wrap(made), {
    deferred: { value: wrap(made.deferred) },
    immediate: { value: wrap(made.immediate) },
    exclusive: { value: wrap(made.exclusive) },
  });
};
