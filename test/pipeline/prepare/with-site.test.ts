import { expect, it } from 'vitest';
import { parseRunId } from '../../../src/core/model/ids.ts';
import { runKept, toCommand } from '../../../src/pipeline/prepare/with-site.ts';
import type { SiteOutcome } from '../../../src/ports/site.ts';

async function* none(): AsyncGenerator<Uint8Array> {}

it('the reason why the sandbox could not start a command is kept in the place of its output', async () => {
  const outcome: SiteOutcome = {
    ...{ kind: 'not_started', exitCode: null, signal: null, durationMs: 0, processesLeft: 0 },
    ...{ stdoutTail: '', stderrTail: 'its user cannot pass through /data', read: none },
  };
  const kept = new Map<string, unknown>();
  const files = {
    writeArtifact: async (_run: unknown, name: string, content: unknown) => void kept.set(name, content),
  };
  const site = { run: async () => outcome };
  const command = toCommand({ argv: ['agent'], timeoutMs: 1, maxOutputBytes: 1 });

  const run = { site, runId: parseRunId('abc'), name: 'agent' };
  await runKept({ files }, run, command, new AbortController().signal);

  expect(kept.get('agent.stderr.log')).toBe('its user cannot pass through /data');
  expect(kept.get('agent.stdout.log')).not.toBe('its user cannot pass through /data');
});
