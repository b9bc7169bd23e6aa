/** All behaviour vectors, against `fake_server.py`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Player } from './support/player.js';
import { load } from './support/vectors.js';

const COUNT = 125;
const vectors = load('behaviour');

test('no vector is missing', () => {
  assert.equal(vectors.length, COUNT);
});

test('behaviour', { concurrency: 6 }, (context) => Promise.all(vectors.map((vector) => (
  context.test(vector.name, async () => {
    assert.deepEqual(await new Player(vector).play(), []);
  })
))));
