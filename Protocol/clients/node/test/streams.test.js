/** Streams without sockets: what the behaviour vectors do not show. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { ERROR, EVENT, frame } from '../src/codec/layout.js';
import { EVENT as EVENT_LAYOUT, EVENT_OPCODE, MESSAGES } from '../src/codec/messages.js';
import { EventStream, eventOptions } from '../src/events.js';
import { HELLO, World, answer, requests } from './support/world.js';

function subscribe(world, options = { name: 'ops', window: 4 }, deadline = 10_000) {
  const result = {};
  result.stream = new EventStream(world.core, () => world.time, eventOptions(options), deadline, (error) => {
    result.error = error;
    result.isAccepted = error === undefined;
  });
  return result;
}

function event(id, sequence) {
  return frame({ kind: EVENT, opcode: EVENT_OPCODE, id }, EVENT_LAYOUT.encode({ sequence, at: undefined, kind: 1 }));
}

function refusal(name, id, { code, retryAfterMs }) {
  const payload = Buffer.alloc(10);
  payload.writeUInt16BE(code, 0);
  payload.writeUInt32BE(retryAfterMs, 4);
  return frame({ kind: ERROR, opcode: MESSAGES[name].opcode, id }, payload);
}

/** The one request of the next write. */
function only(world, connection) {
  world.run();
  const found = requests(world.written(connection));
  assert.equal(found.length, 1);
  return found[0];
}

test('a credit that is refused for a time is granted again, for the same subscription', async () => {
  const world = new World();
  const { stream } = subscribe(world);
  const connection = world.open();
  const { id } = only(world, connection);
  world.says(connection, answer('subscribe_events', id, { after: 10n }));
  world.says(connection, event(id, 11n));
  world.says(connection, event(id, 12n));
  await stream.next();
  await stream.next();
  const credit = only(world, connection);
  assert.deepEqual([credit.name, credit.fields.credit], ['event_credit', 6n]);
  world.says(connection, refusal('event_credit', credit.id, { code: 16, retryAfterMs: 500 }));
  world.run(500);
  assert.equal(connection.session.hasOutput, false);
  world.run(100);
  const again = only(world, connection);
  assert.deepEqual([again.name, again.fields], ['event_credit', credit.fields]);
  world.says(connection, answer('event_credit', again.id, {}));
  stream.ack(12n);
  assert.equal(only(world, connection).fields.ack, 12n);
});

test('a subscription that is accepted too late does not remain', () => {
  const world = new World();
  const result = subscribe(world, {}, 1000);
  const connection = world.open();
  const { id } = only(world, connection);
  world.run(1000);
  assert.equal(result.error.code, 'NO_ANSWER');
  world.says(connection, answer('subscribe_events', id, { after: 10n }));
  const late = only(world, connection);
  assert.deepEqual([late.name, late.fields.subscription], ['unsubscribe_events', BigInt(id)]);
  world.says(connection, answer('unsubscribe_events', late.id, {}));
  assert.equal(world.core.streams.size, 0);
});

test('elements of an older subscription and a new history count against the window', async () => {
  const world = new World();
  const { stream } = subscribe(world);
  const first = world.open();
  const { id } = only(world, first);
  world.says(first, answer('subscribe_events', id, { after: 10n }));
  world.says(first, event(id, 11n));
  world.core.ended(first, undefined, world.time);
  const other = { ...HELLO, epoch: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  const second = world.open(other);
  const again = only(world, second);
  assert.deepEqual([again.fields.from, again.fields.credit], [0n, 2n]);
  world.says(second, answer('subscribe_events', again.id, { after: 2n }));
  assert.deepEqual([(await stream.next()).value.sequence, (await stream.next()).value], [11n, { type: 'newHistory' }]);
  assert.equal(only(world, second).fields.credit, 4n);
});

test('a stream that waits for a connection ends at once, and flush says what is not durable', async () => {
  const world = new World();
  const { stream } = subscribe(world);
  const connection = world.open();
  const { id } = only(world, connection);
  world.says(connection, answer('subscribe_events', id, { after: 10n }));
  world.says(connection, event(id, 11n));
  await stream.next();
  stream.ack(11n);
  const flushed = stream.flush().catch((error) => error);
  world.core.ended(connection, undefined, world.time);
  await stream.close();
  assert.equal((await flushed).code, 'CANCELLED');
  assert.deepEqual(await stream.next(), { value: undefined, done: true });
});
