/** All behaviour vectors, against `fake_server.py`. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { Player } from './support/player.js';
import { load } from './support/vectors.js';

const COUNT = 120;
const vectors = load('behaviour');

test('no vector is missing', () => {
  assert.equal(vectors.length, COUNT);
});

describe('behaviour', { concurrency: 6 }, () => {
  for (const vector of vectors) {
    it(vector.name, async () => {
      assert.deepEqual(await new Player(vector).play(), []);
    });
  }
});
