import type { EngineSpec } from '../../core/model/engine.ts';
import { biome } from './biome.ts';
import { eslint } from './eslint.ts';
import { jest } from './jest.ts';
import { oxlint } from './oxlint.ts';
import { basedpyright, pyright } from './pyright.ts';
import { stylelint } from './stylelint.ts';
import { tsc } from './tsc.ts';
import { vitest } from './vitest.ts';
import { vitestCoverage } from './vitest-coverage.ts';

/** Tools from npm, each in a file of its own. */
export const NODE_ENGINES: readonly EngineSpec[] = [
  basedpyright,
  biome,
  eslint,
  jest,
  oxlint,
  pyright,
  stylelint,
  tsc,
  vitest,
  vitestCoverage,
];
