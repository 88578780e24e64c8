import type { EngineSpec } from '../../core/model/engine.ts';
import { coverage } from './coverage.ts';
import { flake8 } from './flake8.ts';
import { mypy } from './mypy.ts';
import { pylint } from './pylint.ts';
import { pytest } from './pytest.ts';
import { ruff } from './ruff.ts';
import { tombi } from './tombi.ts';

/** Tools for Python, each in a file of its own. */
export const PYTHON_ENGINES: readonly EngineSpec[] = [coverage, flake8, mypy, pylint, pytest, ruff, tombi];
