import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { permissionsByPurpose } from '../../src/adapters/github/installation-tokens.ts';
import { usedEventNames } from '../../src/webhooks/to-event.ts';

const Manifest = z.object({
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
});

/** GitHub sends these to every App; none can subscribe to them. */
const UNASKED = ['installation', 'installation_repositories'];

/** The most that any token asks for. */
function toNeeded(): Readonly<Record<string, string>> {
  const needed: Record<string, string> = {};
  for (const [name, level] of Object.values(permissionsByPurpose).flatMap((of) => Object.entries(of))) {
    if (needed[name] !== 'write') needed[name] = level;
  }
  return needed;
}

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
}

const manifest = Manifest.parse(parse(read('app.yml')));
const events = usedEventNames.filter((name) => !UNASKED.includes(name)).toSorted();

describe('the manifest of the App', () => {
  it('subscribes to the events that are mapped, and to no others', () => {
    expect(manifest.default_events).toEqual(events);
  });

  it('asks for what the tokens need, and for nothing else (T58)', () => {
    expect(manifest.default_permissions).toEqual(toNeeded());
  });

  it('is told as it is in the documentation', () => {
    const text = read('docs/operating.md');
    const permissions = [...text.matchAll(/^\| `(?<name>[a-z_]+): (?<level>read|write)`/gmu)];
    const told = permissions.map(({ groups }) => [groups?.['name'], groups?.['level']]);

    expect(Object.fromEntries(told)).toEqual(manifest.default_permissions);
    expect(text).toContain(`and for these events: ${events.map((name) => `\`${name}\``).join(', ')}.`);
  });
});
