/** Everything that `index.d.ts` exports has a comment, and so has every member. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const DECLARATION = /^(?:export |declare )+(?:interface|class|type|const|function) (\w+)|^(?:interface|type) (\w+)/;
const MEMBER = /^ {2}(?:readonly |static |get )?(\w+|\[Symbol\.asyncIterator\])\??[(:<]/;

test('everything public is documented', () => {
  const lines = readFileSync(new URL('../index.d.ts', import.meta.url), 'utf8').split('\n');
  const bare = [];
  let owner = '';
  let declarations = 0;
  lines.forEach((line, index) => {
    const isDocumented = lines[index - 1]?.trimEnd().endsWith('*/');
    const declared = DECLARATION.exec(line);
    const member = MEMBER.exec(line);
    if (declared) {
      owner = declared[1] ?? declared[2];
      declarations++;
      if (line.startsWith('export') && !isDocumented) bare.push(owner);
    } else if (member && owner !== 'fromEnvironment' && member[1] !== 'new' && !isDocumented) {
      bare.push(`${owner}.${member[1]}`);
    }
  });
  assert.ok(declarations > 50);
  assert.deepEqual(bare, []);
});
