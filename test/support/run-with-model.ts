import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Models, startModels } from '../../world/models/start-models.ts';
import type { FakeCli } from './fake-cli.ts';
import type { RunStage } from './run-stage.ts';

const APIS: Readonly<Record<FakeCli, string>> = {
  claude: 'anthropic',
  codex: 'openai',
  gemini: 'gemini',
  opencode: 'openai',
};
const PRICE = { input: 3, cached: 0.3, written: 3.75, output: 15 };

/** A checkout with one failing test, and an agent whose model is of this machine, follows a script, and costs something. */
export async function setModelStage(
  stage: RunStage,
  { kind, path }: { readonly kind: FakeCli; readonly path: string },
): Promise<{ readonly models: Models; readonly env: Readonly<Record<string, string>>; readonly key: string }> {
  const key = `canary-${randomUUID()}`;
  const models = await startModels({
    key,
    prices: { [kind]: PRICE },
    script: {
      steps: [
        { do: 'read', file: 'src/sum.mjs' },
        { do: 'edit', file: 'src/sum.mjs', find: 'left - right', replace: 'left + right' },
      ],
    },
  });
  const keyFile = join(stage.root, 'model.key');
  await writeFile(keyFile, `${key}\n`, { mode: 0o400 });
  const model = { api: APIS[kind], url: models.url, keyFile, models: [kind], prices: { [kind]: PRICE } };
  const file = join(stage.root, 'agents.json');
  await writeFile(file, JSON.stringify({ agents: [{ name: kind, kind, path, ...model }] }));
  await stage.write({
    '.github/ratchet.yml': `install:
  detect: false
engines:
  tests:
    command: [node, --test, --test-reporter=junit, "--test-reporter-destination={report}", "{targets}"]
    format: junit
    kind: test
    globs: ["**/*.test.mjs"]
    targets: files
`,
    'src/sum.mjs': 'export const sum = (left, right) => left - right;\n',
    'test/sum.test.mjs': `import test from 'node:test';
import assert from 'node:assert/strict';
import { sum } from '../src/sum.mjs';
test('adds', () => assert.equal(sum(1, 2), 3));
`,
  });
  await stage.commit();
  return { models, key, env: { RATCHET_AGENT: '', RATCHET_FAKE_AGENT_SCRIPT: '', RATCHET_AGENTS_FILE: file } };
}
