import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlanRequest, planEngines } from '../../../src/core/engines/plan-engines.ts';
import { isSamePlan } from '../../../src/core/engines/plan-hash.ts';
import type { EngineSpec, TargetMode } from '../../../src/core/model/engine.ts';
import type { EngineSettings } from '../../../src/core/model/policy.ts';
import { aPlanRequest, aSpec, FILES, someSettings } from '../../support/plan-builders.ts';

const TARGET_MODES: readonly TargetMode[] = ['files', 'paths', 'packages', 'project'];
const SPECS: readonly EngineSpec[] = [
  ...TARGET_MODES.map((targetMode) => aSpec({ id: `py-${targetMode}`, targetMode })),
  aSpec({ id: 'ts', globs: ['**/*.ts'], launchers: [{ kind: 'node', script: 'x.js' }] }),
  aSpec({ id: 'go', globs: ['**/*.go'], kind: 'test' }),
];

const path = fc.constantFrom(
  '.',
  'src',
  'src/a.py',
  'src/pkg',
  'lib',
  'lib/c.py',
  'web',
  'README.md',
  'docs',
  'src/gone.py',
);
const wrongPath = fc.constantFrom('../x', '/etc', '');
const paths = fc.array(fc.oneof({ weight: 20, arbitrary: path }, { weight: 1, arbitrary: wrongPath }), {
  maxLength: 4,
});
const word = fc.constantFrom('a', 'b', '--c');
const config = fc.constantFrom('ruff.toml', 'pyproject.toml', 'gone.toml');

const settings: fc.Arbitrary<EngineSettings> = fc
  .record({
    enabled: fc.boolean(),
    paths: fc.option(paths),
    config: fc.option(config),
    args: fc.array(word, { maxLength: 2 }),
    env: fc.dictionary(word, word, { maxKeys: 2 }),
    profile: fc.option(word),
    cwd: fc.option(fc.constantFrom('.', 'src', 'docs')),
  })
  .map(someSettings);

const allSettings = fc.dictionary(fc.constantFrom(...SPECS.map(({ id }) => id)), settings);
const configs = fc.dictionary(fc.constantFrom(...SPECS.map(({ id }) => id)), config);

const request: fc.Arbitrary<PlanRequest> = fc
  .record({
    specs: fc.shuffledSubarray([...SPECS], { minLength: 1 }),
    settings: allSettings,
    request: fc.constantFrom('current', 'target', 'both'),
    scope: fc.record({ cli: fc.option(paths), env: fc.option(paths) }),
    configs: fc.record({ cli: configs, env: configs }),
    files: fc.subarray([...FILES]),
    dependencies: fc.constantFrom('ready', 'missing'),
  })
  .map((change) => aPlanRequest(change));

/** Other words for the same path. */
const disguise = fc.constantFrom<(to: string) => string>(
  (to) => to,
  (to) => (to === '' || to.startsWith('/') ? to : `./${to}`),
  (to) => (to === '' ? to : `${to}/`),
  (to) => to.replaceAll('/', '\\'),
  (to) => (to.startsWith('/') ? to : to.replaceAll('/', '//')),
);

describe('planEngines', () => {
  it('gives the same plans for every order, repetition and spelling of the paths (000.R5, R6)', () => {
    fc.assert(
      fc.property(paths, paths, fc.array(disguise, { minLength: 3, maxLength: 3 }), (asked, own, ways) => {
        // A wrong path is told as it was written; only right ones have other words.
        const isRight = (entry: string): boolean => entry !== '' && !entry.startsWith('/') && !entry.startsWith('..');
        const cli = asked.filter(isRight);
        const set = own.filter(isRight);
        const rewrite = (list: readonly string[]): readonly string[] => [
          ...list.toReversed().map((entry, index) => ways[index % ways.length]?.(entry) ?? entry),
          ...list,
        ];
        const plan = (asking: readonly string[], setting: readonly string[]) =>
          planEngines(
            aPlanRequest({
              specs: SPECS,
              scope: { cli: asking, env: null },
              settings: Object.fromEntries(SPECS.map(({ id }) => [id, someSettings({ paths: setting })])),
            }),
          );

        expect(plan(rewrite(cli), rewrite(set))).toEqual(plan(cli, set));
      }),
    );
  });

  it('gives the same for every order of engines, files and settings (000.R6, R11)', () => {
    fc.assert(
      fc.property(request, (given) => {
        const turned: PlanRequest = {
          ...given,
          specs: given.specs.toReversed(),
          files: given.files.toReversed(),
          settings: Object.fromEntries(Object.entries(given.settings).toReversed()),
        };

        expect(planEngines(turned)).toEqual(planEngines(given));
      }),
    );
  });

  it('lets no other engine, nor its settings, into the plans of an engine (000.R11, R12, R28)', () => {
    fc.assert(
      fc.property(request, allSettings, configs, (given, otherSettings, otherConfigs) => {
        const [spec = aSpec()] = given.specs;
        const own = <Value>(from: Readonly<Record<string, Value>>, others: Readonly<Record<string, Value>>) => {
          const kept = Object.entries(from).filter(([id]) => id === spec.id);
          return Object.fromEntries([...Object.entries(others).filter(([id]) => id !== spec.id), ...kept]);
        };
        const alone = planEngines({ ...given, specs: [spec] });
        const together = planEngines({
          ...given,
          specs: SPECS,
          settings: own(given.settings, otherSettings),
          configs: { cli: own(given.configs.cli, otherConfigs), env: own(given.configs.env, otherConfigs) },
        });
        const isOwn = ({ engine }: { readonly engine: string }): boolean => engine === spec.id;

        expect({
          plans: together.plans.filter(isOwn),
          scopes: together.scopes.filter(isOwn),
          dedup: together.dedup.filter(isOwn),
          toRun: together.toRun.filter((one) => one.spec.id === spec.id),
          configErrors: together.configErrors.filter(isOwn),
          skipped: together.skipped.filter(isOwn),
        }).toEqual(alone);
      }),
    );
  });

  it('never runs one plan twice, a plan that is off, or one without targets (000.R8, R15, R27)', () => {
    fc.assert(
      fc.property(request, (given) => {
        for (const { plans } of planEngines(given).toRun) {
          const [first, second] = plans;

          expect(plans.every(({ enabled, targets }) => enabled && targets.length > 0)).toBe(true);
          expect(plans.map(({ mode }) => mode).toSorted()).toEqual(plans.map(({ mode }) => mode));
          expect(first !== undefined && second !== undefined && isSamePlan(first, second)).toBe(false);
        }
      }),
    );
  });

  it('has for each engine a run, a mistake or a reason, and sorts all that it tells (000.R26)', () => {
    fc.assert(
      fc.property(request, (given) => {
        const { plans, toRun, configErrors, skipped, dedup } = planEngines(given);
        const ids = given.specs.map(({ id }) => id).toSorted();
        const told = [toRun.map(({ spec }) => spec.id), configErrors.map(toEngine), skipped.map(toEngine)];

        expect(ids.filter((id) => !told.flat().includes(id))).toEqual([]);
        expect(dedup.map(toEngine)).toEqual(ids);
        expect([...new Set(plans.map(toEngine))]).toEqual(ids);
        for (const list of told) expect(list).toEqual(list.toSorted());
        for (const { engine, ran } of dedup) expect(ran === 'none').toBe(!told[0]?.includes(engine));
      }),
    );
  });

  it('gives TARGET the same plan, whatever paths were asked for (000.R3, R4)', () => {
    fc.assert(
      fc.property(request, fc.option(paths), (given, cli) => {
        const target = (asked: PlanRequest['scope']['cli']) =>
          planEngines({ ...given, request: 'target', scope: { ...given.scope, cli: asked } });

        expect(target(cli)).toEqual(target(null));
      }),
    );
  });

  it('gives in one mode the plan that both modes give in it (000.R1, R13 to R15)', () => {
    fc.assert(
      fc.property(request, (given) => {
        const plansOf = (mode: PlanRequest['request']) => planEngines({ ...given, request: mode }).plans;
        const apart = [...plansOf('current'), ...plansOf('target')];

        expect(plansOf('both').toSorted(compare)).toEqual(apart.toSorted(compare));
      }),
    );
  });
});

function toEngine({ engine }: { readonly engine: string }): string {
  return engine;
}

function compare(left: { readonly engine: string; readonly mode: string }, right: typeof left): number {
  return `${left.engine} ${left.mode}` < `${right.engine} ${right.mode}` ? -1 : 1;
}
