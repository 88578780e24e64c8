import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acquireControlPlaneLock } from '../../../src/adapters/store/control-plane-lock.ts';
import { openAppFile } from '../../../src/compose/open-app-file.ts';
import { parsePrivateKey } from '../../../src/config/environment.ts';
import { ConfigError } from '../../../src/core/model/errors.ts';
import { createBrowser } from '../../support/browser.ts';
import { countExchanges, OPERATOR, type SetUp, startSetUp, walkToGitHub } from '../../support/set-up-stage.ts';

async function begin(options: Parameters<typeof startSetUp>[1] = {}): Promise<SetUp> {
  return startSetUp(onTestFinished, options);
}

/** Nothing of an App is in the data folder. */
async function expectNothingStored({ dataDir }: SetUp): Promise<void> {
  expect((await readdir(dataDir)).filter((name) => name.includes('app'))).toEqual([]);
}

describe('the set-up', () => {
  it('stores what GitHub gave, whole and readable by its owner alone, and ends', async () => {
    const setUp = await begin();
    const { world, browser, dataDir } = setUp;
    const back = await walkToGitHub(setUp);

    const last = await browser.open(back.href);
    const end = await setUp.ended;

    const path = join(dataDir, 'github-app.json');
    expect(last.status).toBe(200);
    expect(end).toMatchObject({ kind: 'stored', app: { appId: world.app.id } });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const stored: unknown = JSON.parse(await readFile(path, 'utf8'));
    expect(stored).toMatchObject({
      app: {
        appId: world.app.id,
        slug: world.app.slug,
        owner: OPERATOR,
        webhookSecret: world.app.webhookSecret,
      },
    });
    expect(parsePrivateKey((await openAppFile(dataDir).read())?.privateKey ?? '')).not.toBeNull();
    expect(last.html).not.toContain(world.app.webhookSecret);
    expect(world.violations).toEqual([]);
  });

  it('registers the App in an organization, at its own page', async () => {
    const setUp = await begin({ organization: 'widgets' });
    setUp.world.createUser('widgets');

    await setUp.browser.open((await walkToGitHub(setUp)).href);

    expect(await setUp.ended).toMatchObject({ kind: 'stored', app: { owner: 'widgets' } });
    expect(setUp.world.requests.map(({ path }) => path.split('?')[0])).toContain(
      '/organizations/widgets/settings/apps/new',
    );
  });

  it('lets the operator choose organization and address on the page, and offers nothing before they are right', async () => {
    const setUp = await begin({ variables: { RATCHET_WEBHOOK_URL: '' } });
    setUp.world.createUser('widgets');
    const empty = await setUp.browser.open(setUp.link);
    expect(empty.html).toContain('GitHub has to know where to send webhooks');
    expect(empty.html).not.toContain('name="manifest"');

    const form = await setUp.browser.send(empty, 0, { organization: ' widgets ', webhook: 'http://127.0.0.1:9/hook' });

    expect(form.html).toContain('<code>http://127.0.0.1:9/hook</code>');
    await setUp.browser.open((await walkToGitHub(setUp, form)).href);
    expect(await setUp.ended).toMatchObject({ kind: 'stored', app: { owner: 'widgets' } });
  });

  it.each([
    ['expired, after its time', { lifetimeMs: 1 }, 'expired'],
    ['stopped, when it is asked to stop', {}, 'stopped'],
  ] as const)('ends %s, with nothing stored', async (_what, options, kind) => {
    const setUp = await begin(options);
    if (kind === 'stopped') setUp.stop();

    expect((await setUp.ended).kind).toBe(kind);
    await expectNothingStored(setUp);
    await expect(setUp.browser.open(setUp.link)).rejects.toThrow('ECONNREFUSED');
  });

  it('is not ready meanwhile, and alive', async () => {
    const { browser, origin } = await begin();

    expect((await browser.open(`${origin}/healthz`)).status).toBe(200);
    expect((await browser.open(`${origin}/readyz`)).status).toBe(503);
    expect((await browser.open(`${origin}/api/github/webhooks`, { method: 'POST' })).status).toBe(404);
  });

  it('does not begin where the App could not be stored: in a folder that is in use, or cannot be used', async () => {
    const first = await begin();

    await expect(begin({ variables: { RATCHET_DATA_DIR: first.dataDir } })).rejects.toThrow('another Ratchet process');
    await expect(begin({ variables: { RATCHET_DATA_DIR: '/proc/ratchet' } })).rejects.toThrow(ConfigError);
  });

  it('lets go of the data folder when it ends', async () => {
    const setUp = await begin({ lifetimeMs: 1 });
    await setUp.ended;

    acquireControlPlaneLock(setUp.dataDir).release();
  });
});

describe('a stranger', () => {
  it.each(['/setup', '/setup?token=', '/setup?token=wrong', '/setup/callback?code=a&state=b', '/setup?organization=x'])(
    'who opens %s sees how to get a link, and nothing else',
    async (path) => {
      const setUp = await begin();

      const shown = await createBrowser().open(`${setUp.origin}${path}`);

      expect(shown.status).toBe(403);
      expect(shown.html).toContain('This link is not valid');
      expect(shown.html).not.toMatch(/manifest|state=|127\.0\.0\.1:9/u);
      expect(setUp.log()).toContain('SETUP_TOKEN_WRONG');
      expect(countExchanges(setUp.world)).toBe(0);
    },
  );

  it('who comes second with the right link does not get in, and the first one stays in', async () => {
    const { browser, link, origin } = await begin();
    expect((await browser.open(link)).status).toBe(200);

    expect((await createBrowser().open(link)).status).toBe(403);
    expect((await browser.open(`${origin}/setup`)).status).toBe(200);
    expect((await browser.open(link)).status).toBe(200);
  });

  it('who has the address that GitHub sent the browser to cannot use it in another browser', async () => {
    const setUp = await begin();
    const back = await walkToGitHub(setUp);

    expect((await createBrowser().open(back.href)).status).toBe(403);
    expect(countExchanges(setUp.world)).toBe(0);
    await expectNothingStored(setUp);
  });

  it.each([
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'x@localhost',
    '10.0.0.1',
  ])('whose page leads to this server under the name %j is refused, and does not use up the link', async (host) => {
    const { browser, link, origin } = await begin();

    const shown = await browser.open(link, { host });

    expect([400, 421]).toContain(shown.status);
    expect(browser.cookies('127.0.0.1')).not.toContain('ratchet-setup');
    expect((await browser.open(link)).url).toBe(`${origin}/setup`);
  });

  it.each(['POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('who sends %s changes nothing', async (method) => {
    const { browser, link } = await begin();

    const shown = await createBrowser().open(link, { method });

    expect(shown).toMatchObject({ status: 405, headers: { allow: 'GET' } });
    expect((await browser.open(link)).status).toBe(200);
  });
});

describe('the pages', () => {
  it('run no script, load nothing, cannot be framed, are not kept, and tell nobody their address', async () => {
    const setUp = await begin();
    const shown = [
      await setUp.browser.open(setUp.link),
      await createBrowser().open(`${setUp.origin}/setup`),
      await setUp.browser.open(`${setUp.origin}/setup/callback`),
    ];

    for (const { headers, html } of shown) {
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self' http:\/\/127\.0\.0\.1:\d+; frame-ancestors 'none'; base-uri 'none'$/u,
      );
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      expect(html).not.toMatch(/<script|<img|<link|@import|url\(|http-equiv/iu);
    }
  });

  it('give the browser a cookie that no script and no other site can use', async () => {
    const { origin, link } = await begin();
    const { headers } = await fetch(link, { redirect: 'manual' });

    expect(headers.get('location')).toBe('/setup');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('set-cookie')).toMatch(/^ratchet-setup=[\w-]{43}; Path=\/setup; HttpOnly; SameSite=Lax$/u);
    expect(origin).toMatch(/^http:\/\/127/u);
  });

  it('can be opened at the public address, which keeps the cookie to encrypted connections and is where GitHub leads back', async () => {
    const { browser, link, urls } = await begin({ variables: { RATCHET_WEBHOOK_URL: 'https://ratchet.example.com' } });
    expect(urls[1]).toMatch(/^https:\/\/ratchet\.example\.com\/setup\?token=[\w-]{43}$/u);

    const shown = await browser.open(link, { host: 'ratchet.example.com' });

    expect(shown.html).toContain('<code>https://ratchet.example.com/setup/callback</code>');
  });
});

describe('an answer of GitHub', () => {
  it.each([
    ['without a state', (url: URL) => url.searchParams.delete('state')],
    ['with another state', (url: URL) => url.searchParams.set('state', 'x'.repeat(43))],
    ['without a code', (url: URL) => url.searchParams.delete('code')],
    ['with a code that is none', (url: URL) => url.searchParams.set('code', '../../app')],
  ])('%s exchanges and stores nothing', async (_what, change) => {
    const setUp = await begin();
    const back = await walkToGitHub(setUp);
    change(back);

    const shown = await setUp.browser.open(back.href);

    expect([400, 403]).toContain(shown.status);
    expect(shown.html).toContain('Nothing was stored');
    expect(countExchanges(setUp.world)).toBe(0);
    await expectNothingStored(setUp);
  });

  it.each([
    [
      'that is too old',
      async ({ world }: SetUp) => {
        world.expireCodes();
        await world.settled();
      },
    ],
    [
      'that was used already',
      async ({ world }: SetUp, code: string) => {
        await fetch(`${world.url}/api/v3/app-manifests/${code}/conversions`, { method: 'POST' });
      },
    ],
  ])('with a code %s stores nothing and says what to do; the state is used up', async (_what, spoil) => {
    const setUp = await begin();
    const back = await walkToGitHub(setUp);
    await spoil(setUp, back.searchParams.get('code') ?? '');

    const shown = await setUp.browser.open(back.href);

    expect(shown.status).toBe(400);
    expect(shown.html).toContain('GitHub does not accept the code');
    expect(shown.html).toContain(`${setUp.world.url}/settings/apps`);
    await expectNothingStored(setUp);
    expect((await setUp.browser.open(back.href)).html).toContain('This answer of GitHub was not expected');
    // The page is still there for another try.
    expect((await setUp.browser.open(`${setUp.origin}/setup`)).status).toBe(200);
  });

  it('with the code of an App that somebody else registered stores nothing', async () => {
    const setUp = await begin();
    const back = await walkToGitHub(setUp);
    back.searchParams.set('code', setUp.world.foreignCode());

    const shown = await setUp.browser.open(back.href);

    expect(shown.status).toBe(400);
    expect(shown.html).toContain('has permissions that Ratchet did not ask for: administration: write');
    await expectNothingStored(setUp);
  });

  it('with an App of another account than the chosen organization stores nothing', async () => {
    const setUp = await begin();
    setUp.world.createUser('widgets');
    const back = await walkToGitHub(setUp);
    const form = await setUp.browser.send(await setUp.browser.open(`${setUp.origin}/setup`), 0, {
      organization: 'widgets',
    });
    const state = /new\?state=(?<state>[\w-]+)/u.exec(form.html)?.groups?.['state'] ?? '';
    back.searchParams.set('state', state);

    expect((await setUp.browser.open(back.href)).html).toContain('belongs to acme, not to widgets');
    await expectNothingStored(setUp);
  });

  it('that is loaded again after an outage of GitHub still works', async () => {
    const setUp = await begin();
    const back = await walkToGitHub(setUp);
    setUp.world.faults.failRequests({ times: 1, status: 502, as: 'page' });

    const shown = await setUp.browser.open(back.href);

    expect(shown.status).toBe(502);
    expect(shown.html).toContain('Reload this page to try again');
    await expectNothingStored(setUp);
    expect((await setUp.browser.open(back.href)).status).toBe(200);
    expect((await setUp.ended).kind).toBe('stored');
  });

  it('that is loaded twice at once is exchanged once, and both are told', async () => {
    const setUp = await begin();
    const back = await walkToGitHub(setUp);

    const shown = await Promise.all([setUp.browser.open(back.href), setUp.browser.open(back.href)]);

    expect(shown.map(({ status }) => status)).toEqual([200, 200]);
    expect(countExchanges(setUp.world)).toBe(1);
  });

  it('whose App cannot be stored is told, and no file is replaced', async () => {
    const setUp = await begin();
    const back = await walkToGitHub(setUp);
    const path = join(setUp.dataDir, 'github-app.json');
    await writeFile(path, 'of somebody else', { mode: 0o600 });

    const shown = await setUp.browser.open(back.href);

    expect(shown.status).toBe(500);
    expect(shown.html).toContain('EEXIST');
    expect(shown.html).toContain('make a new private key there');
    expect(await readFile(path, 'utf8')).toBe('of somebody else');
    expect((await readdir(setUp.dataDir)).filter((name) => name.includes('app'))).toEqual(['github-app.json']);
  });

  it('is stored though the browser went away meanwhile, and though the time is over', async () => {
    const gate = Promise.withResolvers<null>();
    const asked = Promise.withResolvers<null>();
    const setUp = await begin({
      fetch: async (input, init) => {
        asked.resolve(null);
        await gate.promise;
        return fetch(input, init);
      },
    });
    const back = await walkToGitHub(setUp);
    const leaving = new AbortController();
    const cookie = setUp.browser.cookies('127.0.0.1');
    const left = fetch(back, { signal: leaving.signal, headers: { cookie } }).catch(() => null);
    await asked.promise;
    leaving.abort();
    await left;
    setUp.stop();
    gate.resolve(null);

    expect(await setUp.ended).toMatchObject({ kind: 'stored', app: { appId: setUp.world.app.id } });
  });
});

describe('the log of the set-up', () => {
  it('has neither token nor cookie, neither state nor code, and no secret of the App', async () => {
    const setUp = await begin();
    const back = await walkToGitHub(setUp);
    const token = new URL(setUp.link).searchParams.get('token') ?? '';
    await createBrowser().open(`${setUp.link}x`);
    setUp.world.faults.failRequests({ times: 1, status: 500 });
    await setUp.browser.open(back.href);
    await setUp.browser.open(back.href);
    await setUp.ended;

    const secrets = [token, ...back.searchParams.values(), setUp.world.app.webhookSecret, 'PRIVATE KEY'];
    secrets.push(/ratchet-setup=(?<cookie>[\w-]+)/u.exec(setUp.browser.cookies('127.0.0.1'))?.groups?.['cookie'] ?? '');
    for (const secret of secrets) {
      expect(secret).not.toBe('');
      expect(setUp.log()).not.toContain(secret);
    }
    expect(setUp.log()).toContain('the App could not be registered');
  });
});
