import { posix } from 'node:path';
import { expect } from 'vitest';
import type { ArgsInput, EnginePlan, EngineSpec } from '../../../src/core/model/engine.ts';

export const ROOT = '/repo';
export const ARTIFACTS = '/artifacts';

/** Arguments of the engine's last step for a plan that has these, in `/repo`. */
export function argumentsOf(
  spec: EngineSpec,
  set: Partial<EnginePlan> = {},
  { version = null, files = [], ...more }: Partial<Pick<ArgsInput, 'version' | 'files' | 'python'>> = {},
): readonly string[] {
  const plan: EnginePlan = {
    engine: spec.id,
    project: '.',
    mode: 'target',
    targets: ['.'],
    configPath: null,
    args: [],
    enabled: true,
    profile: null,
    env: {},
    cwd: '.',
    hash: '',
    scopeHash: '',
    excludes: [],
    usesToolScope: false,
    ...set,
  };
  return spec.toCommands({ plan, artifacts: ARTIFACTS, root: ROOT, version, files, ...more }).at(-1) ?? [];
}

/** The path below `/repo` as a tool names it. */
export function absolute(path: string): string {
  return posix.join(ROOT, path);
}

/** Stands for any text that has this in it. */
export function containing(text: string): unknown {
  return expect.stringContaining(text);
}
