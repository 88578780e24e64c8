import { describe, expect, it } from 'vitest';
import { WANTED_EVENTS, WANTED_PERMISSIONS } from '../../../src/core/doctor/wanted-access.ts';
import { judgeConvertedApp } from '../../../src/core/setup/judge-converted-app.ts';
import { renderSetupForm, renderSetupTrouble, renderStoredApp } from '../../../src/core/setup/render-setup-page.ts';
import { SETUP_REFUSALS, toSetupTrouble } from '../../../src/core/setup/setup-trouble.ts';
import { toSetupView } from '../../../src/core/setup/setup-view.ts';
import {
  announceSetup,
  reportAlreadyStored,
  reportExpired,
  reportStored,
} from '../../../src/core/setup/setup-words.ts';
import { escapeHtml } from '../../../src/core/text/escape-html.ts';

const PLACE = { site: 'https://github.com', githubHostname: 'github.com', isHosted: true, path: '/hook' };
const EVIL = `"><script>alert('&')</script>`;
const APP = {
  appId: 7,
  slug: 'ratchet-acme',
  name: EVIL,
  owner: 'acme',
  pageUrl: `https://github.com/apps/ratchet-acme?${EVIL}`,
  githubApiUrl: 'https://api.github.com',
  privateKey: 'PRIVATE',
  webhookSecret: 'SECRET',
};
const SETTINGS = 'https://github.com/settings/apps';

function formOf(organization: string, webhookUrl: string): string {
  const view = toSetupView({ organization, webhookUrl }, { place: PLACE, origin: 'http://localhost:3000' });
  return renderSetupForm(view, { state: 'st&ate', endsAt: 0 });
}

describe('the form of the set-up', () => {
  it('shows each permission and event with its reason, and sends the manifest to GitHub with the state', () => {
    const html = formOf('acme', 'https://ratchet.example.com');

    for (const { name, why } of [...WANTED_PERMISSIONS, ...WANTED_EVENTS]) {
      expect(html).toContain(`<td>${name}</td>`);
      expect(html).toContain(`<td>${escapeHtml(why)}</td>`);
    }
    expect(html).toContain(
      'action="https://github.com/organizations/acme/settings/apps/new?state=st%26ate" method="post"',
    );
    expect(html).toContain('&quot;public&quot;:false');
    expect(html).toContain('<code>https://ratchet.example.com/hook</code>');
    expect(html).toContain('This page works until 1970-01-01 00:00 UTC');
    expect(html).not.toContain('class="note"');
  });

  it.each([
    [EVIL, 'https://ratchet.example.com'],
    ['', EVIL],
    ['', `https://ratchet.example.com/${EVIL}`],
    ['', `https://ratchet.example.com/x?${EVIL}`],
  ])('shows what was written as text and never as HTML: %j, %j', (organization, webhookUrl) => {
    const html = formOf(organization, webhookUrl);

    expect(html).not.toContain('<script>');
    expect(html).not.toContain(`alert('`);
    expect(html).toContain('class="note"');
  });

  it('sends nothing to GitHub before its fields are right', () => {
    expect(formOf('', '')).toContain('Correct the fields above first');
    expect(formOf('', '')).not.toContain('name="manifest"');
  });
});

describe('the other pages', () => {
  it('tells how to install the App, escapes what GitHub said, and shows no secret', () => {
    for (const goesOn of [true, false]) {
      const html = renderStoredApp(APP, goesOn);

      expect(html).toContain(goesOn ? 'Ratchet starts now.' : 'The terminal says how to start Ratchet.');
      expect(html).toContain('/installations/new');
      expect(html).not.toContain('<script>');
      expect(html).not.toMatch(/PRIVATE|SECRET/u);
    }
  });

  it.each(Object.entries(SETUP_REFUSALS))('says for %s what to do', (_code, trouble) => {
    expect(renderSetupTrouble(trouble)).toContain(`<h1>${trouble.title}</h1>`);
    expect(trouble.lines.length).toBeGreaterThan(0);
  });

  it.each([
    [{ kind: 'code_refused', why: EVIL }, 400, 'register it again'],
    [{ kind: 'no_answer', why: EVIL }, 502, 'Reload this page to try again'],
    [{ kind: 'other_app', why: EVIL, pageUrl: APP.pageUrl }, 400, 'delete it at'],
    [{ kind: 'not_stored', why: EVIL, pageUrl: APP.pageUrl }, 500, 'make a new private key'],
  ] as const)('says for %j what to do, where the Apps are, and that nothing was stored', (taken, status, what) => {
    const trouble = toSetupTrouble(taken, SETTINGS);
    const html = renderSetupTrouble(trouble);

    expect(trouble.status).toBe(status);
    expect(html).toContain(what);
    expect(html).toContain(SETTINGS);
    expect(html).toMatch(/Nothing was stored|could not be stored/u);
    expect(html).not.toContain('<script>');
  });
});

describe('the App that GitHub answers with', () => {
  const asked = Object.fromEntries(WANTED_PERMISSIONS.map(({ name, level }) => [name, level]));

  it('is taken with the permissions of the manifest or less, in the right account', () => {
    expect(judgeConvertedApp({ name: 'r', owner: 'Acme', permissions: asked }, 'acme')).toBeNull();
    expect(judgeConvertedApp({ name: 'r', owner: null, permissions: { ...asked, actions: 'read' } }, '')).toBeNull();
  });

  it.each([
    [{ ...asked, administration: 'read' }, 'acme', 'administration: read'],
    [{ ...asked, statuses: 'write' }, 'acme', 'statuses: write'],
    [{ ...asked, contents: 'admin' }, 'acme', 'contents: admin'],
    [asked, 'mallory', 'belongs to mallory, not to acme'],
    [asked, null, 'belongs to no known account'],
  ])('is another one with %j of %j', (permissions, owner, why) => {
    expect(judgeConvertedApp({ name: 'r', owner, permissions }, 'acme')).toContain(why);
  });
});

describe('what the terminal says', () => {
  it('announces the link, and what is not right yet', () => {
    const links = { urls: ['http://localhost:3000/setup?token=t', 'https://r.example/setup?token=t'], minutes: 15 };
    const plain = announceSetup({ ...links, hasAgent: true, isExposed: false });

    expect(plain).toContain('  http://localhost:3000/setup?token=t\n  https://r.example/setup?token=t\n');
    expect(plain).toContain('once, in one browser, for 15 minutes');
    expect(plain).not.toMatch(/RATCHET_AGENT|Warning/u);
    expect(announceSetup({ ...links, hasAgent: false, isExposed: true })).toMatch(
      /Warning: HOST.*\n.*RATCHET_AGENT is not set/u,
    );
    expect(announceSetup({ ...links, hasAgent: null, isExposed: false })).not.toContain('RATCHET_AGENT');
  });

  it('never says a secret', () => {
    const said = [reportStored(APP, '/data/app'), reportAlreadyStored(APP, '/data/app'), reportExpired(15, SETTINGS)];

    expect(said.join('\n')).not.toMatch(/PRIVATE|SECRET/u);
    expect(said[1]).toContain('move that file away');
    expect(said[2]).toContain(`delete the App at ${SETTINGS}`);
  });
});
