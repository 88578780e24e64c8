import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { WANTED_EVENTS, WANTED_PERMISSIONS } from '../../../src/core/doctor/wanted-access.ts';
import { isUsedEventName } from '../../../src/webhooks/to-event.ts';

const Manifest = z.object({
  default_permissions: z.record(z.string(), z.string()),
  default_events: z.array(z.string()),
});

describe('what the App wants of GitHub', () => {
  const manifest = Manifest.parse(parse(readFileSync('app.yml', 'utf8')));

  it('is what its manifest requests', () => {
    expect(Object.fromEntries(WANTED_PERMISSIONS.map(({ name, level }) => [name, level]))).toEqual(
      manifest.default_permissions,
    );
    expect(WANTED_EVENTS.map(({ name }) => name)).toEqual(manifest.default_events);
  });

  it('has no event that nothing uses', () => {
    expect(WANTED_EVENTS.filter(({ name }) => !isUsedEventName(name))).toEqual([]);
  });
});
