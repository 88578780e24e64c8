import { randomBytes } from 'node:crypto';
import { ensureAccount } from '../control/people-control.ts';
import type { AppAccess } from '../state.ts';
import type { WorldContext } from '../world-context.ts';

/** An App as its manifest and the page with its name describe it. */
export type NewApp = {
  readonly name: string;
  readonly ownerLogin: string;
  readonly access: AppAccess;
  /** Whether it becomes the App of this world, whose id, key and secret are fixed. */
  readonly isOurs: boolean;
};

/** Registers an App, and returns the code with which its key can be had once. */
export function registerApp(world: WorldContext, { name, ownerLogin, access, isOurs }: NewApp): string {
  const id = isOurs ? world.app.id : world.nextId();
  const slug = isOurs ? world.app.slug : `app-${String(id)}`;
  const createdAt = world.now();
  world.state.apps.set(id, { id, slug, name, access, createdAt, ownerLogin: ensureAccount(world, ownerLogin) });
  const code = randomBytes(20).toString('hex');
  const { privateKey, webhookSecret } = world.app;
  world.state.manifestCodes.set(code, {
    app: { id, slug, privateKey, webhookSecret: isOurs ? webhookSecret : `the secret of ${slug}` },
    createdAtMs: Date.now(),
    isUsed: false,
  });
  return code;
}
