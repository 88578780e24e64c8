import type { EngineSpec } from '../../../src/core/model/engine.ts';
import { judge, type PayloadDigest, type Recording, readRecording, replay, toDigest } from './recording.ts';

/** A recorded run as the parser and the judgement of now see it: not what was expected of them when it was recorded. */
export function rerun(spec: EngineSpec, name: string, tool = spec.id): Recording {
  const recording = readRecording(tool, name);
  const payload = replay(spec, recording);
  const expected: PayloadDigest = toDigest(payload);
  return { ...recording, expected, judged: judge(spec, recording, payload) };
}
