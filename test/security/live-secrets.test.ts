import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyFiles } from '../../src/adapters/gateway/key-files.ts';
import { createLiveSecrets } from '../../src/compose/live-secrets.ts';
import { temporaryFolder } from '../support/store.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

describe('live secrets', () => {
  it('are redacted from the moment that they are known', async () => {
    const secrets = createLiveSecrets(['a-webhook-secret', '']);
    expect(secrets.redact('a-webhook-secret, the-new-canary')).toBe('[redacted], the-new-canary');
    secrets.add('the-new-canary');
    secrets.add('the-new-canary');
    expect(secrets.redact('a-webhook-secret, the-new-canary')).toBe('[redacted], [redacted]');
    expect(await secrets.redactLong('the-new-canary')).toBe('[redacted]');
    expect(secrets.all()).toEqual(['a-webhook-secret', 'the-new-canary']);
  });

  it('are the key of a model, and also the one that an operator puts in its place', async () => {
    const secrets = createLiveSecrets([]);
    const keys = createKeyFiles(secrets.add);
    const path = join(folder.path, 'key');
    writeFileSync(path, 'first-canary\n', { mode: 0o600 });
    await keys.read(path);
    writeFileSync(path, 'another-canary\n');
    await keys.read(path);
    expect(secrets.redact('first-canary another-canary')).toBe('[redacted] [redacted]');
  });
});
