import type { EngineSpec } from '../model/engine.ts';

/** The first line of a script: `#!/bin/sh -e`, `#!/usr/bin/env bash`, `#!/usr/bin/env -S bash -eu`. */
const SHEBANG = /^#![ \t]*(?:\S*\/)?(?:env[ \t]+(?:-\S+[ \t]+)*(?:\w+=\S*[ \t]+)*)?(?:\S*\/)?(?<program>[^\s/]+)/u;

/** A dot in the name of a file, other than the one that hides it. */
const EXTENSION = /[^/]\.[^/]*$/u;

/** Files that may be scripts of any kind, because their name does not say what they are. */
export function listNameless(files: readonly string[]): readonly string[] {
  return files.filter((path) => !EXTENSION.test(path));
}

/** The engine with a glob for each script that names one of its interpreters. `texts` holds the files of `listNameless`. */
export function addScripts(spec: EngineSpec, texts: Readonly<Record<string, string | null>>): EngineSpec {
  const { interpreters = [] } = spec;
  const scripts = Object.entries(texts).flatMap(([path, text]) => {
    const program = SHEBANG.exec(text ?? '')?.groups?.['program'] ?? '';
    return interpreters.includes(program) ? [escapeGlob(path)] : [];
  });
  return scripts.length === 0 ? spec : { ...spec, globs: [...spec.globs, ...scripts.toSorted()] };
}

/** A glob that matches this path alone. */
export function escapeGlob(path: string): string {
  return path.replaceAll(/[\\*?[\]{}()!+@|]/gu, String.raw`\$&`);
}
