import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: [
    './src/adapters/store/schema.ts',
    './src/adapters/store/spend-schema.ts',
    './src/adapters/store/plan-schema.ts',
    './src/adapters/store/task-schema.ts',
  ],
  out: './migrations',
});
