import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The agents that it stands in for. */
export const FAKE_CLIS = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type FakeCli = (typeof FAKE_CLIS)[number];

/** See `fake-cli-program.mjs`. */
export type FakeCliHabit =
  | 'usual'
  | 'lies'
  | 'silent'
  | 'crashes'
  | 'babbles'
  | 'hosted'
  | 'other'
  | 'strays'
  | 'prints';

const PROGRAM = join(import.meta.dirname, 'fake-cli-program.mjs');
/** What the real ones print. */
const VERSIONS: Readonly<Record<FakeCli, string>> = {
  claude: '2.1.332 (Claude Code)',
  codex: 'codex-cli 0.171.0',
  gemini: '0.61.0',
  opencode: '1.18.33',
};

/** Writes a program that behaves like the command line of an agent into the folder. Returns its path. */
export async function writeFakeCli(
  folder: string,
  kind: FakeCli,
  { habit = 'usual', version = VERSIONS[kind] }: { readonly habit?: FakeCliHabit; readonly version?: string } = {},
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await copyFile(PROGRAM, join(folder, 'fake-cli-program.mjs'));
  const path = join(folder, kind);
  const script = `#!/bin/sh
if [ "$1" = --version ]; then echo '${version}'; exit 0; fi
exec node "$(dirname "$0")/fake-cli-program.mjs" ${kind} ${habit} "$@"
`;
  await writeFile(path, script);
  await chmod(path, 0o755);
  return path;
}
