import type { Reply } from '../../core/render/render-reply.ts';

/** How far a command is that starts a run. It stays pending until its session has ended, so that its reply says how. */
export type OrderProgress =
  | { readonly kind: 'new' | 'working' | 'done' }
  | { readonly kind: 'refused'; readonly reply: Extract<Reply, { readonly kind: 'cannot' | 'not_undone' }> };
