import { describe, expect, it } from 'vitest';
import { openStage } from '../support/e2e.ts';
import { openRedPullRequest, REPAIR, untilConcluded, WRITER } from '../support/red-repository.ts';

const NOT_FAILED: unknown = expect.stringMatching(/ok|warn/u);
const TOKEN = 'the-token-of-the-operators';

describe('an operator', () => {
  it('sees on the port of this machine what a pull request from red to green was made of', async ({
    onTestFinished,
  }) => {
    const { world, start } = await openStage(onTestFinished);
    const env = { RATCHET_METRICS_PORT: '0', RATCHET_ADMIN_TOKEN: TOKEN };
    const ratchet = await start({ script: { steps: [REPAIR] }, env });
    const listening = await ratchet.untilLog(({ msg }) => msg === 'listening', 'the App to listen');
    const local = `http://127.0.0.1:${String(listening['metricsPort'])}`;
    const red = await openRedPullRequest(world);
    world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
    await untilConcluded(world, red, 'success');

    const text = await (await fetch(`${local}/metrics`)).text();

    expect(text).toContain('ratchet_attempts_total{kind="FIX_CI",agent="fake"} 1');
    expect(text).toContain('ratchet_runs_total{kind="FIX_CI",outcome="pushed",code="",agent="fake"} 1');
    expect(text).toMatch(/ratchet_decisions_total\{action="DONE",code="ALL_GREEN"\} [1-9]/u);
    expect(text).toMatch(/ratchet_webhooks_total\{event="issue_comment",result="accepted"\} 1/u);
    expect(text).toMatch(/ratchet_github_requests_total\{api="rest",result="ok"\} [1-9]/u);
    expect(text).toMatch(/ratchet_github_rate_remaining\{api="rest"\} [1-9]/u);
    // No label holds a name of a repository or a person.
    expect(text).not.toContain(red.repo);
    expect(text).not.toContain(WRITER);
    const readiness = async (): Promise<unknown> => (await fetch(`${local}/readyz`)).json();
    const names = ['database', 'queue', 'disk', 'sandbox', 'github'];
    await expect.poll(readiness).toMatchObject({ checks: names.map((name) => ({ name, state: NOT_FAILED })) });
    expect(await (await fetch(`${ratchet.url}/readyz`)).json()).toEqual({ status: 'ready' });
    expect((await fetch(`${ratchet.url}/metrics`)).status).toBe(401);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await fetch(`${ratchet.url}/metrics`, { headers })).status).toBe(200);
  });
});
