import { ACTIONS_ROUTES } from './actions-routes.ts';
import { ACTIVITY_ROUTES } from './activity-routes.ts';
import { APP_ROUTES } from './app-routes.ts';
import { CHECK_ROUTES } from './check-routes.ts';
import { CODE_ROUTES } from './code-routes.ts';
import { COMMENT_ROUTES } from './comment-routes.ts';
import { PULL_ROUTES } from './pull-routes.ts';
import { REVIEW_ROUTES } from './review-routes.ts';
import type { Route } from './route.ts';

/** Every operation that the world serves. */
export const ROUTES: readonly Route[] = [
  ...APP_ROUTES,
  ...PULL_ROUTES,
  ...REVIEW_ROUTES,
  ...COMMENT_ROUTES,
  ...CHECK_ROUTES,
  ...ACTIONS_ROUTES,
  ...CODE_ROUTES,
  ...ACTIVITY_ROUTES,
];
