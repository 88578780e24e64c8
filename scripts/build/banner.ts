/** Some bundled packages are CommonJS and call require for Node's own modules. */
export const BANNER =
  "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);";
