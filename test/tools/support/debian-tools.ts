import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineSpec } from '../../../src/core/model/engine.ts';
import type { ToolCase } from './run-tool.ts';

const ROOT = join(import.meta.dirname, '../../../.cache/tools/debian/root');
const PYTHON = '/usr/bin/python3';
const MODULES = join(ROOT, 'usr/lib/python3/dist-packages');
const PROGRAMS = join(ROOT, 'usr/bin');
const GO = join(ROOT, 'usr/lib/go-1.19');
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

type DebianCase = Pick<ToolCase, 'spec' | 'launcher' | 'version' | 'env'>;

/** What a case of a tool of Python has beside its name; throws where the tool was not unpacked. */
export function toPythonCase(spec: EngineSpec): DebianCase {
  const [launcher] = spec.launchers;
  if (launcher?.kind !== 'python') throw new Error(`${spec.id} is no module of Python`);
  return {
    spec,
    launcher: [PYTHON, '-m', launcher.module],
    version: findPythonVersion(launcher.distribution),
    env: { PYTHONPATH: MODULES },
  };
}

/** What a case of a program has beside its name; throws where the program was not unpacked. */
export function toProgramCase(spec: EngineSpec): DebianCase {
  const launcher = spec.launchers.find(({ kind }) => kind === 'program');
  if (launcher?.kind !== 'program') throw new Error(`${spec.id} is no program`);
  const file = launcher.name === 'go' ? join(GO, 'bin/go') : join(PROGRAMS, launcher.name);
  assertUnpacked(existsSync(file), launcher.name);
  const env = {
    PATH: `${PROGRAMS}:${SYSTEM_PATH}`,
    LD_LIBRARY_PATH: join(ROOT, 'usr/lib/x86_64-linux-gnu'),
    GOROOT: GO,
  };
  // Its caches lie in the home folder, which every run has for itself.
  const said = execFileSync(file, launcher.versionArgs, { env: { ...env, HOME: '/nonexistent' }, encoding: 'utf8' });
  return { spec, launcher: [file], version: /\d+(?:\.\d+)+/u.exec(said)?.[0] ?? null, env };
}

function findPythonVersion(distribution: string): string {
  const names = existsSync(MODULES) ? readdirSync(MODULES) : [];
  const versions = names.map(
    (name) => /^(?<name>.+)-(?<version>\d[^-]*)\.(?:dist|egg)-info$/u.exec(name)?.groups ?? {},
  );
  const version = versions.find(({ name }) => name === distribution)?.['version'];
  assertUnpacked(version !== undefined && existsSync(PYTHON), distribution);
  return version ?? '';
}

function assertUnpacked(isThere: boolean, name: string): void {
  if (!isThere)
    throw new Error(
      `${name} of Debian is not there: "node scripts/prepare-tools.ts" unpacks it, or says why it cannot`,
    );
}
