import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlanStage, type PlanStage, toJson, toRun } from '../support/plan-stage.ts';

let stage: PlanStage;
beforeEach(async () => {
  stage = await createPlanStage();
  await stage.write({
    'index.html': `<h1>Hello</h1><input id="name"><button onclick="greet()">Go</button><script>
      function greet() { document.querySelector('h1').textContent = 'Hello, ' + document.querySelector('#name').value; }
    </script>`,
    'broken.html': '<h1>Broken</h1><script>throw new Error("boom")</script>',
    'outside.html': `<h1>waits</h1><script>
      const tell = (text) => { document.querySelector('h1').textContent = text; };
      Promise.any(['http://93.184.215.14/', 'http://example.com/', 'http://169.254.169.254/'].map((url) => fetch(url, { mode: 'no-cors' })))
        .then(() => tell('reached'), () => tell('unreachable'));
    </script>`,
  });
});
afterEach(async () => stage.remove());

const SERVER = `
const { appendFileSync, readFileSync } = require('node:fs');
require('node:http').createServer((request, response) => {
  appendFileSync('log', request.url + '\\n');
  try { response.setHeader('content-type', 'text/html'); response.end(readFileSync('.' + request.url)); }
  catch { response.statusCode = 404; response.end('nothing'); }
}).listen(8123, '127.0.0.1');`;
const SERVE = { argv: ['node', '-e', SERVER], url: 'http://localhost:8123/' };

function browse(actions: readonly object[], change: { readonly serve?: object; readonly step?: object } = {}): object {
  const params = { serve: { ...SERVE, ...change.serve }, actions };
  return { step_id: 1, action_type: 'browser_act', timeout_seconds: 300, max_retries: 0, params, ...change.step };
}

interface Seen {
  readonly exitCode: number | undefined;
  readonly state: string | undefined;
  readonly cause: string | null | undefined;
  readonly output: string;
}

async function look(step: object): Promise<Seen> {
  const ended = await stage.ratchet('run', await stage.plan([step]), '--dir', stage.dir, '--json');
  const result = toRun(ended.stdout).results['1'];
  return { exitCode: ended.exitCode, state: result?.state, cause: result?.cause, output: result?.output ?? '' };
}

const QUICK = { step: { timeout_seconds: 60 } };

describe('a step that looks at pages in a browser (004.R3)', () => {
  it('opens, fills, clicks, expects, and keeps a screenshot', async () => {
    const seen = await look(
      browse([
        { type: 'open', path: '/index.html' },
        { type: 'fill', selector: '#name', value: 'Ada' },
        { type: 'click', selector: 'button' },
        { type: 'expect', selector: 'h1', text: 'Hello, Ada' },
        { type: 'screenshot', name: 'greeted' },
      ]),
    );
    expect([seen.exitCode, seen.state, seen.cause]).toEqual([0, 'completed', null]);
    expect(seen.output).toContain('open /index.html\nfill #name\nclick button\nexpect "Hello, Ada" in h1\n');
    const path = /screenshot greeted: (?<path>.+\.png)/u.exec(seen.output)?.groups?.['path'] ?? '';
    expect((await readFile(path)).subarray(1, 4).toString()).toBe('PNG');
    expect(path.startsWith(stage.dir)).toBe(false);
    // What the command wrote is a change of the plan like that of any command.
    expect(await stage.read('log')).toContain('/index.html');
  });

  it('reaches nothing but what its own command serves (S36)', async () => {
    const seen = await look(
      browse([
        { type: 'open', path: '/outside.html' },
        { type: 'expect', selector: 'h1', text: 'unreachable' },
      ]),
    );
    expect([seen.state, seen.cause]).toEqual(['completed', null]);
  });

  it('fails with what the page has in place of what was expected, and names what the page threw', async () => {
    const seen = await look(
      browse(
        [
          { type: 'open', path: '/broken.html' },
          { type: 'expect', selector: 'h1', text: 'Fine' },
        ],
        QUICK,
      ),
    );
    expect([seen.exitCode, seen.state]).toEqual([1, 'failed']);
    expect(seen.cause).toBe('ACTION_FAILED: expect "Fine" in h1: it has "Broken"');
    expect(seen.output).toContain('the page threw: boom');
    await expect(stage.read('log')).resolves.toContain('/broken.html');
  });

  it.each([
    ['a page that is not there', [{ type: 'open', path: '/none' }], {}, 'open /none: the server answered with 404'],
    [
      'a server that ends',
      [{ type: 'open', path: '/' }],
      { serve: { argv: ['node', '-e', 'console.log("no port"); process.exitCode = 3'] } },
      'the command that serves ended (3)',
    ],
    [
      'a server that cannot be started',
      [{ type: 'open', path: '/' }],
      { serve: { argv: ['no-such-program'] } },
      'the command that serves could not be started',
    ],
    [
      'a page of somebody else',
      [{ type: 'open', path: '//example.com/' }],
      {},
      '"open" must name a path below http://localhost:8123, not "//example.com/"',
    ],
    [
      'a host that is not its own',
      [{ type: 'open', path: '/' }],
      { serve: { url: 'http://example.com/' } },
      '"serve.url" must name localhost or 127.0.0.1',
    ],
  ])('fails at %s, and says so', async (_what, actions, change, cause) => {
    const seen = await look(browse(actions, change));
    expect([seen.exitCode, seen.state]).toEqual([1, 'failed']);
    expect(seen.cause).toContain(cause);
  });

  it('is undone with what its command wrote', async () => {
    const before = await stage.state();
    const steps = [
      browse([{ type: 'open', path: '/index.html' }]),
      {
        ...{ step_id: 2, action_type: 'run_command', depends_on: [1], rollback_on_fail: true, max_retries: 0 },
        params: { argv: ['false'] },
      },
    ];
    const ended = await stage.ratchet('run', await stage.plan(steps), '--dir', stage.dir, '--json');
    expect(toRun(ended.stdout).results['1']?.state).toBe('rolled_back');
    expect(await stage.state()).toEqual(before);
  });

  it('is refused without a sandbox, since a page could reach the network', async () => {
    const file = await stage.plan([browse([{ type: 'open', path: '/' }])]);
    const ended = await stage.ratchet('run', file, '--dir', stage.dir, '--json', '--unsandboxed');
    expect(ended.exitCode).toBe(2);
    expect(toJson(ended.stdout)).toMatchObject({ valid: false, errors: [{ reason: 'unsupported_action' }] });
  });
});
