import type { RegisteredApp } from '../model/registered-app.ts';

/** How the last step of a registration ended. `why` has no secret in it. */
export type TakenApp =
  | { readonly kind: 'stored'; readonly app: RegisteredApp }
  /** GitHub does not take the code: it was used, it is too old, or it is not one of GitHub's. */
  | { readonly kind: 'code_refused'; readonly why: string }
  /** Nobody knows whether GitHub used up the code. */
  | { readonly kind: 'no_answer'; readonly why: string }
  | { readonly kind: 'other_app'; readonly why: string; readonly pageUrl: string }
  | { readonly kind: 'not_stored'; readonly why: string; readonly pageUrl: string };
