/** Never change it: people make it a required check. */
export const QUALITY_CHECK_NAME = 'Ratchet / quality';
