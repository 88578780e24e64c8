import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/model/default-policy.ts';
import { SMALL_BUDGET } from '../../src/core/prompts/evidence-budget.ts';
import { toPromptBase } from '../../src/pipeline/fixup/prompt-agent.ts';
import { aFixup, aPullRequest, aRejection, aSession } from '../support/builders.ts';
import { LIVE_SECRET, type Pipeline, startLaunched } from '../support/pipeline-fixture.ts';
import { splitLines } from '../support/prompt-builders.ts';

const RETRY = '/ratchet retry';

async function retry(pipeline: Pipeline): Promise<void> {
  pipeline.comment(RETRY);
  await pipeline.evaluate();
  await pipeline.runFixup();
}

/** A first attempt that is refused by validation, and a second one. */
async function startTwice(before: (pipeline: Pipeline) => void = () => undefined): Promise<Pipeline> {
  const pipeline = await startLaunched();
  pipeline.sites.endWith('npm test', { exitCode: 1, stdoutTail: `1 failing: ${LIVE_SECRET}` });
  pipeline.git.agentLeaves({ patch: `diff --git a/a b/a\n+wrong ${LIVE_SECRET}\n` });
  before(pipeline);
  await pipeline.runFixup();
  await retry(pipeline);
  return pipeline;
}

function promptsOf({ agent }: Pipeline): readonly string[] {
  return agent.requests.map(({ instructions }) => instructions.task_prompt);
}

describe('the prompt of a second attempt', () => {
  it('shows why the first one was refused, and its diff, as data without secrets', async () => {
    const pipeline = await startTwice();
    const [first = '', second = ''] = promptsOf(pipeline);

    expect(first).not.toContain('previous attempt');
    expect(second).toContain('- refused: VALIDATION_FAILED; "npm test" did not end with exit code 0\n');
    expect(splitLines(second).inside).toEqual(
      expect.arrayContaining([
        'why the previous attempt was refused (file /ratchet/evidence/previous-refusal.txt):',
        '| 1 failing: [redacted]',
        'the diff of the previous attempt, which was not taken (file /ratchet/evidence/previous.diff):',
        '| +wrong [redacted]',
      ]),
    );
    expect(pipeline.agent.requests[1]?.context.previous_attempt_refs).toEqual([
      '/ratchet/evidence/previous-refusal.txt',
      '/ratchet/evidence/previous.diff',
    ]);
    expect(pipeline.sites.evidence.get('previous.diff')).toContain('+wrong [redacted]');
    expect(second).not.toContain(LIVE_SECRET);
  });

  it('does without the diff where it was not kept', async () => {
    const pipeline = await startTwice(({ files }) => files.forget('patch.diff'));

    expect(promptsOf(pipeline)[1]).toContain('| 1 failing: [redacted]\n');
    expect(promptsOf(pipeline)[1]).not.toContain('previous.diff');
  });

  it('is smaller where the first one did not fit into the context of the model', async () => {
    const pipeline = await startLaunched();
    const { deps } = pipeline;
    const fixup = aFixup();
    const ended = [aSession(aRejection({ code: 'CONTEXT_TOO_LONG' }), { fixup })];
    const base = await toPromptBase(
      { ...deps, store: { ...deps.store, endedSessions: () => ended } },
      {
        session: { ...aSession(null), fixup },
        facts: aPullRequest(),
        policy: DEFAULT_POLICY,
        validation: { kind: 'commands', commands: ['npm test'], source: 'policy' },
      },
    );

    expect(base.budget).toBe(SMALL_BUDGET);
  });

  it('has a delimiter of its own', async () => {
    const pipeline = await startTwice();
    const delimiters = promptsOf(pipeline).map((prompt) => splitLines(prompt).delimiter);

    expect(delimiters[0]).not.toBe(delimiters[1]);
  });
});
