import { backUp, restore } from '../compose/compose-backup.ts';
import { readDataDir } from '../config/environment.ts';
import { ConfigError } from '../core/model/errors.ts';
import { type CliResult, fail, succeed } from './cli-result.ts';
import { findAssets } from './find-assets.ts';
import { parseFlags } from './parse-flags.ts';

/** Process input of `backup` and `restore`. */
export interface BackupCommandInput {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** User id of this process; null where there are none. */
  readonly uid: number | null;
  readonly now: Date;
}

const BACKUP_OPTIONS = { force: { type: 'boolean', default: false } } as const;

/**
 * Runs `ratchet backup FILE [--force]`: a copy of the database, also while the service runs. Exit code 2 for wrong usage or a database
 * that cannot be copied, 3 if the disk fails.
 */
export async function runBackup(args: readonly string[], input: BackupCommandInput): Promise<CliResult> {
  const parsed = parseFlags(args, BACKUP_OPTIONS);
  if (typeof parsed === 'string') return refuse('backup', parsed);
  const file = toFile(parsed.positionals);
  if ('problem' in file) return refuse('backup', file.problem);
  return settle('backup', async () => {
    await backUp({ dataDir: readDataDir(input.variables), file: file.path, overwrite: parsed.values.force });
    return `${file.path}: a backup of the database. Keep it secret: it holds texts of pull requests and their reviews\n`;
  });
}

/**
 * Runs `ratchet restore FILE`: puts a backup in the place of the database of a stopped service. Exit code 2 for wrong usage, a service
 * that runs, or a backup that cannot be used, 3 if the disk fails.
 */
export async function runRestore(args: readonly string[], input: BackupCommandInput): Promise<CliResult> {
  const parsed = parseFlags(args, {});
  if (typeof parsed === 'string') return refuse('restore', parsed);
  const file = toFile(parsed.positionals);
  if ('problem' in file) return refuse('restore', file.problem);
  return settle('restore', async () => {
    const { uid, now } = input;
    const { migrationsDir } = findAssets();
    const done = await restore({ dataDir: readDataDir(input.variables), file: file.path, migrationsDir, uid, now });
    const lines = [
      `${file.path} is restored: start Ratchet again`,
      ...(done.asidePath === null ? [] : [`the database that it replaces is kept as ${done.asidePath}`]),
      ...(done.needsMigration ? ['the next start brings it to the schema of this version'] : []),
    ];
    return lines.map((line) => `${line}\n`).join('');
  });
}

function toFile([path, extra]: readonly string[]): { readonly path: string } | { readonly problem: string } {
  if (path === undefined || path === '') return { problem: 'name the file of the backup; see ratchet backup --help' };
  return extra === undefined ? { path } : { problem: `unexpected argument ${JSON.stringify(extra)}` };
}

async function settle(command: string, work: () => Promise<string>): Promise<CliResult> {
  try {
    return succeed(await work());
  } catch (error) {
    if (error instanceof ConfigError) return refuse(command, error.problems.join('; '));
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return fail(3, `ratchet: ${command}: ${error.message}\n`);
  }
}

function refuse(command: string, problem: string): CliResult {
  return fail(2, `ratchet: ${command}: ${problem}\n`);
}
