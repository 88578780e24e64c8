import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { EngineSpec } from '../../../src/core/model/engine.ts';
import type { ToolCase } from './run-tool.ts';

const INSTALLED = join(import.meta.dirname, '../../../.cache/tools/npm/node_modules');
const Manifest = z.object({ version: z.string() });

/** A package that scripts/prepare-tools.ts installed, by the name that test/tools/npm/package.json gives it. */
export interface NpmTool {
  /** Absolute. */
  readonly folder: string;
  readonly version: string;
}

/** Throws where it is not installed. */
export function findNpmTool(name: string): NpmTool {
  const folder = join(INSTALLED, name);
  const { version } = Manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  return { folder, version };
}

/** Links of a project's node_modules for `ToolCase.packages`: of each name the package that is installed as `installed`. */
export function toPackages(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(names).map(([link, installed]) => [link, findNpmTool(installed).folder]));
}

/** What a case of a tool of npm has beside its name: how the tool is started, its version, and its package in the project. */
export function toNodeCase(
  spec: EngineSpec,
  {
    installed,
    packages = {},
  }: { readonly installed?: string; readonly packages?: Readonly<Record<string, string>> } = {},
): Pick<ToolCase, 'spec' | 'launcher' | 'version' | 'packages'> {
  const launcher = spec.launchers.find(({ kind }) => kind === 'node');
  if (launcher?.kind !== 'node') throw new Error(`${spec.id} is not started by a script of a package`);
  const name = /^(?:@[^/]+\/)?[^/]+/u.exec(launcher.script)?.[0] ?? '';
  return {
    spec,
    launcher: [process.execPath, join('node_modules', launcher.script)],
    version: findNpmTool(installed ?? name).version,
    packages: toPackages({ [name]: installed ?? name, ...packages }),
  };
}

/** The same, and it dies of a segmentation fault: its process has no stack to speak of. For programs that Node only starts. */
export function withoutStack<Case extends Pick<ToolCase, 'launcher'>>(toolCase: Case): Case {
  return { ...toolCase, launcher: ['prlimit', '--stack=40000', ...toolCase.launcher] };
}

/** The same, and it dies where it needs memory: less than it needs for anything. */
export function withoutHeap<Case extends Pick<ToolCase, 'env'>>(toolCase: Case): Case {
  return { ...toolCase, env: { ...toolCase.env, NODE_OPTIONS: '--max-old-space-size=8' } };
}
