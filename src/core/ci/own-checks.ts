import { QUALITY_CHECK_NAME } from '../model/quality-check-name.ts';

/** The check run that shows the decision. The three names never change, because people make these checks required. */
export const CHECK_NAME = 'Ratchet';

/** The check run about a changed policy file. */
export const CONFIG_CHECK_NAME = 'Ratchet / config';

/** Names of our own check runs. "Ratchet" waits for the verdict, and none of them is part of it. */
export const OWN_CHECK_NAMES: ReadonlySet<string> = new Set([CHECK_NAME, CONFIG_CHECK_NAME, QUALITY_CHECK_NAME]);
