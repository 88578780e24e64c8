import { z } from 'zod';

/** The file `github-app.json` of the data folder. */
export const RegisteredAppFile = z.strictObject({
  version: z.literal(1),
  app: z.strictObject({
    appId: z.int().positive(),
    slug: z.string().min(1),
    name: z.string(),
    owner: z.string().nullable(),
    pageUrl: z.url({ protocol: /^https?$/u }),
    githubApiUrl: z.url({ protocol: /^https?$/u }),
    privateKey: z.string().min(1),
    webhookSecret: z.string().min(1),
  }),
});
