/** Syntax that is banned: which nodes, and what the developer reads. */
interface Ban {
  /** As ESLint writes it. */
  readonly selector: string;
  readonly message: string;
}

/** What the linter gives to a rule. */
interface Context<Option> {
  readonly options: readonly Option[];
  readonly report: (finding: { readonly node: unknown; readonly message: string }) => void;
}

/** Rules of our own. */
// oxlint-disable-next-line ours/banned-syntax -- how the linter finds a plugin
export default {
  meta: { name: 'ours' },
  rules: {
    'banned-syntax': {
      meta: { schema: false },
      create: ({ options, report }: Context<Ban>) =>
        Object.fromEntries(
          options.map(({ selector, message }) => [
            selector,
            (node: unknown) => {
              report({ node, message });
            },
          ]),
        ),
    },
  },
};
