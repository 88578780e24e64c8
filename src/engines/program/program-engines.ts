import type { EngineSpec } from '../../core/model/engine.ts';
import { clippy } from './clippy.ts';
import { goTest } from './go-test.ts';
import { goVet } from './go-vet.ts';
import { golangciLint } from './golangci-lint.ts';
import { shellcheck } from './shellcheck.ts';

/** Tools that are programs of the machine, each in a file of its own. */
export const PROGRAM_ENGINES: readonly EngineSpec[] = [clippy, goTest, goVet, golangciLint, shellcheck];
