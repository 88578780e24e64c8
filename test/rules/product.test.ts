import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const PACKAGE = z
  .object({ dependencies: z.record(z.string(), z.string()), devDependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));
const APP = z.object({ default_events: z.array(z.string()) }).parse(parse(readFileSync('app.yml', 'utf8')));

describe('the shape of the product', () => {
  it.each(['probot', 'octokit', 'drizzle-orm', 'better-sqlite3', 'bullmq', 'ioredis', 'execa', 'zod'])(
    'is built on %s (CARD.R2)',
    (name) => {
      // What the bundle contains need not be installed beside it.
      expect({ ...PACKAGE.dependencies, ...PACKAGE.devDependencies }).toHaveProperty(name);
    },
  );

  it.each(['vitest', 'nock'])('is tested with %s (CARD.R2)', (name) => {
    expect(PACKAGE.devDependencies).toHaveProperty(name);
  });

  it.each(['package.json', 'tsconfig.json', 'src', 'test', 'migrations', 'app.yml', 'Dockerfile', 'README.md'])(
    'has %s at its root (CARD.R3)',
    (path) => {
      expect(existsSync(path)).toBe(true);
    },
  );

  it('has no call that merges a pull request, or lets GitHub merge it (002.R35)', () => {
    const merging =
      /\bpulls\.merge\b|\/pulls\/[^'"`\s]*\/merge\b|\b(?:mergePullRequest|enablePullRequestAutoMerge|enqueuePullRequest)\b/;
    const sources = globSync('src/**/*.ts').toSorted();

    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((file) => merging.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('hears of pull requests, check runs and reviews (CARD.R4)', () => {
    expect(APP.default_events).toEqual(
      expect.arrayContaining(['pull_request', 'check_run', 'pull_request_review', 'pull_request_review_comment']),
    );
  });
});
