import { describe, expect, it } from 'vitest';
import { checkCatalogue } from '../../../src/core/engines/check-catalogue.ts';
import type { EngineSpec, Payload } from '../../../src/core/model/engine.ts';
import { biome } from '../../../src/engines/node/biome.ts';
import { eslint } from '../../../src/engines/node/eslint.ts';
import { jest } from '../../../src/engines/node/jest.ts';
import { NODE_ENGINES } from '../../../src/engines/node/node-engines.ts';
import { oxlint } from '../../../src/engines/node/oxlint.ts';
import { basedpyright, pyright } from '../../../src/engines/node/pyright.ts';
import { stylelint } from '../../../src/engines/node/stylelint.ts';
import { tsc } from '../../../src/engines/node/tsc.ts';
import { vitest } from '../../../src/engines/node/vitest.ts';
import { vitestCoverage } from '../../../src/engines/node/vitest-coverage.ts';
import {
  checkRecording,
  RECORDED_ROOT,
  Recording,
  readRecordings,
  replay,
  toParseInput,
} from '../support/recording.ts';

/** Folder of recordings → the engine that made them. A folder with a number is another version of the tool. */
const RECORDED: Readonly<Record<string, EngineSpec>> = {
  basedpyright,
  biome,
  eslint,
  'eslint-9': eslint,
  jest,
  oxlint,
  pyright,
  stylelint,
  'stylelint-16': stylelint,
  tsc,
  'typescript-5': tsc,
  vitest,
  'vitest-coverage': vitestCoverage,
};

const ROWS = Object.entries(RECORDED).flatMap(([tool, spec]) =>
  readRecordings(tool).map((recording) => ({ tool, name: recording.case, spec, recording })),
);

function toFindings(payload: Payload): unknown {
  return payload.kind === 'parsed' ? payload : payload.kind;
}

describe('recordings of the tools of npm', () => {
  it.each(ROWS)('reads and judges $tool/$name as it was reviewed', ({ spec, recording }) => {
    checkRecording(spec, recording);
  });

  it.each(ROWS)('finds the same wherever the root is: $tool/$name', ({ spec, recording }) => {
    const root = '/another/place';
    const moved = Recording.parse(JSON.parse(JSON.stringify(recording).replaceAll(RECORDED_ROOT, root)));

    expect(toFindings(spec.parse(toParseInput(spec, moved, root)))).toEqual(toFindings(replay(spec, recording)));
  });

  it('has recordings of every engine of npm', () => {
    expect(new Set(ROWS.map(({ spec }) => spec.id))).toEqual(new Set(NODE_ENGINES.map(({ id }) => id)));
  });

  it('declares the engines without a contradiction', () => {
    expect(checkCatalogue(NODE_ENGINES)).toEqual([]);
  });
});
