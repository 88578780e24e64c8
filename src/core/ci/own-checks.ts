import { QUALITY_CHECK_NAME } from '../model/quality-check-name.ts';

/** The check run that shows what is decided. Stable for ever, as the other two: people make them required checks. */
export const CHECK_NAME = 'Ratchet';

/** The check run about a policy file that a pull request changes. */
export const CONFIG_CHECK_NAME = 'Ratchet / config';

/** Names of our own check runs: the first waits for the verdict, and none is part of it. */
export const OWN_CHECK_NAMES: ReadonlySet<string> = new Set([CHECK_NAME, CONFIG_CHECK_NAME, QUALITY_CHECK_NAME]);
