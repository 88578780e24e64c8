import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPlanState } from '../../../src/compose/plan-state.ts';
import { ConfigError } from '../../../src/core/model/errors.ts';
import { temporaryFolder } from '../../support/store.ts';

const IS_ROOT = process.getuid?.() === 0;
const migrationsDir = join(import.meta.dirname, '../../../migrations');

let home: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  home = temporaryFolder();
});
afterEach(() => home.remove());

const at = (path: string): string => join(home.path, path);
const open = async () => openPlanState({ variables: { XDG_STATE_HOME: home.path }, isRoot: IS_ROOT, migrationsDir });
const mistakeOf = async (): Promise<string> => {
  const error: unknown = await open().catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw error instanceof Error ? error : new Error('it was opened');
  return error.message;
};

describe('the state folder of local runs', () => {
  it('may be a link to a folder of the same user, and is closed to others', async () => {
    mkdirSync(at('elsewhere'));
    chmodSync(at('elsewhere'), 0o755);
    symlinkSync('elsewhere', at('ratchet'));

    const state = await open();
    state.close();

    expect(state.folder).toBe(at('elsewhere'));
    expect(statSync(at('elsewhere')).mode & 0o777).toBe(0o700);
    expect(readdirSync(at('elsewhere'))).toContain('plans.db');
  });

  it('that leads nowhere is refused', async () => {
    symlinkSync('nowhere', at('ratchet'));

    expect(await mistakeOf()).toContain('set XDG_STATE_HOME to another one');
  });

  it.runIf(IS_ROOT)(
    'of another user is refused, and left as it is: its owner could read and replace everything',
    async () => {
      mkdirSync(at('theirs'));
      chmodSync(at('theirs'), 0o755);
      chownSync(at('theirs'), 12_345, 12_345);
      symlinkSync('theirs', at('ratchet'));

      expect(await mistakeOf()).toContain('is not a folder of root');
      expect([readdirSync(at('theirs')), statSync(at('theirs')).mode & 0o777]).toEqual([[], 0o755]);
    },
  );

  it.each([
    ['no database', Buffer.alloc(8192, 'x'), 'is damaged'],
    ['a folder', null, 'cannot be opened'],
  ])('whose database is %s is refused, and left as it is', async (_what, bytes, told) => {
    mkdirSync(at('ratchet'));
    if (bytes === null) mkdirSync(at('ratchet/plans.db'));
    else writeFileSync(at('ratchet/plans.db'), bytes);

    expect(await mistakeOf()).toContain(told);
    if (bytes !== null) expect(readFileSync(at('ratchet/plans.db'))).toEqual(bytes);
  });
});
