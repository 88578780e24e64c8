import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import {
  judge,
  type Recording,
  readRecording,
  replay,
  toDigest,
  toRecordingPath,
} from '../../engines/support/recording.ts';
import { runTool, type ToolCase } from './run-tool.ts';

/**
 * Runs the tool for real and asserts that its outcome is still the recorded one: the same exit and the same payload, whatever
 * its bytes. With `RECORD=1` it writes the recording instead (and then it is to be reviewed: it is the expectation from now on).
 */
export async function checkTool(toolCase: ToolCase): Promise<void> {
  const run = await runTool(toolCase);
  const path = toRecordingPath(run.tool, run.case);
  const payload = replay(toolCase.spec, run);
  const recording: Recording = { ...run, expected: toDigest(payload), judged: judge(toolCase.spec, run, payload) };
  if (process.env['RECORD'] === '1') {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${JSON.stringify(recording, null, 2)}\n`);
    return;
  }
  expect(existsSync(path), `no recording ${path}: run it once with RECORD=1 and review what it wrote`).toBe(true);
  const recorded = readRecording(run.tool, run.case);

  expect(toOutcome(recording)).toEqual(toOutcome(recorded));
}

function toOutcome({ exit, version, expected, judged }: Recording): Partial<Recording> {
  return { exit, version, expected, judged };
}
