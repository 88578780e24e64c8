import { describe, expect, it } from 'vitest';
import type { DiagnosedJob, Diagnosis } from '../../../src/core/model/workspace.ts';
import { renderFailingChecks } from '../../../src/core/render/render-seen.ts';
import { aStory } from '../../support/a-story.ts';
import { aCheck, aDiagnosis, aVerdict, aWorkspace } from '../../support/builders.ts';

/** What the check run says of a red job `build`. */
function seen(diagnosis: Partial<Diagnosis>): string {
  const story = aStory(
    { ci: { status: 'failure', runId: 'run-2' } },
    {
      ci: aVerdict({ runId: 'run-2', failing: [{ name: 'build', conclusion: 'failure', check: aCheck() }] }),
      workspace: aWorkspace({ diagnosis: aDiagnosis(diagnosis) }),
    },
  );
  return /^- `build`: .*$/mu.exec(renderFailingChecks(story))?.[0] ?? '';
}

const job = (change: Partial<DiagnosedJob>): { readonly jobs: readonly DiagnosedJob[] } => ({
  jobs: [{ name: 'build', class: 'unknown', line: null, rule: null, command: null, tests: [], ...change }],
});

describe('the class of a red check', () => {
  it.each<[string, Partial<Diagnosis>, string]>([
    [
      'infrastructure',
      job({ class: 'infrastructure', line: 'E: no' }),
      ', looks like a problem of the infrastructure (`E: no`)',
    ],
    ['a flake', job({ class: 'flake', line: '"a" failed and passed' }), ', looks flaky (`"a" failed and passed`)'],
    ['code', job({ class: 'code', line: 'FAIL a' }), ', fails because of the code (`FAIL a`)'],
    [
      'a person',
      job({ class: 'person', line: 'Bad credentials' }),
      ', fails for a reason outside the code (`Bad credentials`)',
    ],
    [
      'a person later',
      { ...job({ class: 'infrastructure' }), person: [{ name: 'build', line: 'no run' }] },
      ', looks like a problem of the infrastructure (`no run`)',
    ],
    ['nothing', job({}), ', no known reason'],
    ['a long line', job({ line: 'x'.repeat(400) }), `, no known reason (\`${'x'.repeat(160)}\`)`],
    ['another job', job({ name: 'e2e' }), ''],
    ['an earlier version: flaky', { flaky: ['build'] }, ', looks flaky'],
    [
      'an earlier version: a person',
      { person: [{ name: 'build', line: 'no' }] },
      ', fails for a reason outside the code',
    ],
    ['an earlier version: neither', {}, ''],
  ])('is shown with its line: %s', (_what, diagnosis, expected) => {
    expect(seen(diagnosis)).toBe(`- \`build\`: failure${expected}`);
  });
});
