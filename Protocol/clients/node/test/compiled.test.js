/** Layouts where no code may be compiled for them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const VECTORS = fileURLToPath(new URL('codec.test.js', import.meta.url));
const FORBIDDEN = '--disallow-code-generation-from-strings';

test('all vectors of frames pass in a process that forbids to make code of texts', () => {
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const options = { encoding: 'utf8', env: environment };
  const run = (...words) => execFileSync(process.execPath, [FORBIDDEN, ...words], options);
  assert.match(run('-e', 'try { new Function("1"); } catch (error) { console.log(error.name); }'), /^EvalError/);
  assert.match(run(VECTORS), /^\S+ fail 0$/m);
});
