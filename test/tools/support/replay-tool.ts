import { join } from 'node:path';
import { expect } from 'vitest';
import type { EngineSpec } from '../../../src/core/model/engine.ts';
import { judge, readRecordings, replay, toDigest, toRecordingPath } from '../../engines/support/recording.ts';
import { runTool } from './run-tool.ts';

/** A tool that cannot be had here, and is known from its documentation. */
export interface ReplayedTool {
  readonly spec: EngineSpec;
  /** Folder of its recordings; the id where nothing else is said. */
  readonly tool?: string;
  /** What is installed beside it, as the recorded arguments have it. */
  readonly companions?: readonly string[];
  /** How many of the recorded arguments start it: `python3 -m ruff` are three. */
  readonly launcherLength: number;
}

const PROGRAM = join(import.meta.dirname, 'replay-program.mjs');

/** Runs each recording of the tool by an executable that replays it, on the same way as a real one. */
export async function checkReplays({
  spec,
  tool = spec.id,
  companions = [],
  launcherLength,
}: ReplayedTool): Promise<void> {
  const recordings = readRecordings(tool);
  expect(recordings.length).toBeGreaterThan(0);
  for (const recording of recordings) {
    const run = await runTool({
      spec: { ...spec, toCommands: (input) => spec.toCommands({ ...input, companions }) },
      tool,
      name: recording.case,
      fixture: 'replay/any',
      launcher: [process.execPath, PROGRAM, toRecordingPath(tool, recording.case), String(launcherLength)],
      version: recording.version,
      // As they were when it was recorded; the executable refuses other arguments.
      args: recording.case === 'bad-flag' ? ['--no-such-flag'] : [],
      targets: recording.case === 'missing-file' ? ['gone.py'] : ['.'],
    });

    expect(run.stderr).not.toContain('expected the arguments');
    const payload = replay(spec, run);
    const { exit, expected, judged } = recording;
    expect({ exit: run.exit, expected: toDigest(payload), judged: judge(spec, run, payload) }).toEqual({
      exit,
      expected,
      judged,
    });
  }
}
