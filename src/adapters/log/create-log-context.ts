import { AsyncLocalStorage } from 'node:async_hooks';
import type { LogFields } from '../../ports/log.ts';

/** What the work that is running is about. Everything that it starts inherits it. */
export interface LogContext {
  readonly run: <Result>(about: LogFields, work: () => Result) => Result;
  /** Empty outside of `run`. */
  readonly current: () => LogFields;
}

/** Creates a context for one log: lines of parts that know nothing of pull requests get their fields by it. */
export function createLogContext(): LogContext {
  const storage = new AsyncLocalStorage<LogFields>();
  return { run: (about, work) => storage.run(about, work), current: () => storage.getStore() ?? {} };
}
