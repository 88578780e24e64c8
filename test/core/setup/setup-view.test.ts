import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { WANTED_EVENTS, WANTED_PERMISSIONS } from '../../../src/core/doctor/wanted-access.ts';
import { toAppManifest } from '../../../src/core/setup/app-manifest.ts';
import { toSetupView } from '../../../src/core/setup/setup-view.ts';

const PLACE = {
  site: 'https://github.com',
  githubHostname: 'github.com',
  isHosted: true,
  path: '/api/github/webhooks',
};
const AT = { place: PLACE, origin: 'http://localhost:3000' };

describe('the manifest of the App', () => {
  it('is that of app.yml, which is private and says why it asks for each permission and event (T58)', () => {
    const text = readFileSync('app.yml', 'utf8');
    const { redirect_url: redirectUrl, ...manifest } = toAppManifest({
      organization: '',
      homepage: 'https://github.com/',
      hookUrl: 'https://ratchet.example.com/api/github/webhooks',
      redirectUrl: 'http://localhost:3000/setup/callback',
    });

    expect(parse(text)).toEqual(manifest);
    expect(manifest.public).toBe(false);
    expect(redirectUrl).toBe('http://localhost:3000/setup/callback');
    for (const { name, level, why } of WANTED_PERMISSIONS) expect(text).toContain(`  # ${why}\n  ${name}: ${level}\n`);
    for (const { name, why } of WANTED_EVENTS) expect(text).toContain(`  # ${why}\n  - ${name}\n`);
  });

  it.each([
    ['', 'ratchet'],
    ['acme', 'ratchet-acme'],
    ['a-very-long-organization-name-of-39-chars', 'ratchet-a-very-long-organization-n'],
    ['a-very-long-organizatio--12345678901234', 'ratchet-a-very-long-organizatio--1'],
    ['a-very-long-organization--12345678901', 'ratchet-a-very-long-organization'],
  ])('names the App of the organization %j within the 34 characters that GitHub takes', (organization, name) => {
    const urls = { homepage: '', hookUrl: '', redirectUrl: '' };

    expect(toAppManifest({ organization, ...urls }).name).toBe(name);
    expect(name.length).toBeLessThanOrEqual(34);
  });
});

describe('what the set-up page offers', () => {
  it('is the page of an own account, or of an organization', () => {
    const webhookUrl = 'https://ratchet.example.com';

    expect(toSetupView({ organization: '', webhookUrl }, AT).registration?.action).toBe(
      'https://github.com/settings/apps/new',
    );
    expect(toSetupView({ organization: 'acme', webhookUrl }, AT).registration?.action).toBe(
      'https://github.com/organizations/acme/settings/apps/new',
    );
  });

  it.each(['acme/../../evil', 'a b', '-acme', '"><script>', 'a'.repeat(41)])(
    'is nothing for an organization that is no login: %j',
    (organization) => {
      const view = toSetupView({ organization, webhookUrl: 'https://ratchet.example.com' }, AT);

      expect(view.registration).toBeNull();
      expect(view.organizationFault).toContain('given by its login');
    },
  );

  it('is nothing while nobody has said how GitHub reaches this server', () => {
    expect(toSetupView({ organization: '', webhookUrl: '' }, AT)).toMatchObject({
      hook: { kind: 'missing' },
      organizationFault: null,
      registration: null,
    });
  });
});
