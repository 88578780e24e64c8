import type { Log } from '../ports/log.ts';

/** Drops every line: the command tells its result itself. */
export const SILENT: Log = {
  ...{ debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  child: () => SILENT,
};
