/** Streams without sockets: what the behaviour vectors do not show. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT, frame } from '../src/codec/layout.js';
import { EVENT as EVENT_LAYOUT, EVENT_OPCODE } from '../src/codec/messages.js';
import { EventStream, eventOptions } from '../src/events.js';
import { HELLO, TestShell, answer, refusal, requests } from './support/test_shell.js';

function subscribe(shell, options = { name: 'ops', window: 4 }, deadline = 10_000) {
  const result = {};
  result.stream = new EventStream(shell.dispatcher, () => shell.time, eventOptions(options), deadline, (error) => {
    result.error = error;
    result.isAccepted = error === undefined;
  });
  return result;
}

function event(id, sequence) {
  return frame({ kind: EVENT, opcode: EVENT_OPCODE, id }, EVENT_LAYOUT.encode({ sequence, at: undefined, kind: 1 }));
}

/** The one request of the next write. */
function only(shell, connection) {
  shell.run();
  const found = requests(shell.written(connection));
  assert.equal(found.length, 1);
  return found[0];
}

/** A stream whose subscription is accepted after event 10, and gets event 11. */
function opened() {
  const shell = new TestShell();
  const { stream } = subscribe(shell);
  const connection = shell.open();
  const { id } = only(shell, connection);
  shell.says(connection, answer('subscribe_events', id, { after: 10n }));
  shell.says(connection, event(id, 11n));
  return { shell, stream, connection, id };
}

test('a credit that is refused for a time is granted again, for the same subscription', async () => {
  const { shell, stream, connection, id } = opened();
  shell.says(connection, event(id, 12n));
  await stream.next();
  await stream.next();
  const credit = only(shell, connection);
  assert.deepEqual([credit.name, credit.fields.credit], ['event_credit', 6n]);
  shell.says(connection, refusal('event_credit', credit.id, { code: 'OVERLOADED', retryAfterMs: 500 }));
  shell.run(500);
  assert.equal(connection.session.hasOutput, false);
  shell.run(100);
  const again = only(shell, connection);
  assert.deepEqual([again.name, again.fields], ['event_credit', credit.fields]);
  shell.says(connection, answer('event_credit', again.id, {}));
  stream.acknowledge(12n);
  assert.equal(only(shell, connection).fields.ack, 12n);
});

test('a subscription that is accepted too late does not remain', () => {
  const shell = new TestShell();
  const result = subscribe(shell, {}, 1000);
  const connection = shell.open();
  const { id } = only(shell, connection);
  shell.run(1000);
  assert.equal(result.error.code, 'NO_ANSWER');
  shell.says(connection, answer('subscribe_events', id, { after: 10n }));
  const late = only(shell, connection);
  assert.deepEqual([late.name, late.fields.subscription], ['unsubscribe_events', BigInt(id)]);
  shell.says(connection, answer('unsubscribe_events', late.id, {}));
  assert.equal(shell.dispatcher.streams.size, 0);
});

test('elements of an older subscription and a new history count against the window', async () => {
  const { shell, stream, connection: first } = opened();
  shell.dispatcher.ended(first, undefined, shell.time);
  const other = { ...HELLO, epoch: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  const second = shell.open(other);
  const again = only(shell, second);
  assert.deepEqual([again.fields.from, again.fields.credit], [0n, 2n]);
  shell.says(second, answer('subscribe_events', again.id, { after: 2n }));
  assert.deepEqual([(await stream.next()).value.sequence, (await stream.next()).value], [11n, { type: 'newHistory' }]);
  assert.equal(only(shell, second).fields.credit, 4n);
});

test('a stream that waits for a connection ends at once, and flush says what is not durable', async () => {
  const { shell, stream, connection } = opened();
  await stream.next();
  stream.acknowledge(11n);
  const flushed = stream.flush().catch((error) => error);
  shell.dispatcher.ended(connection, undefined, shell.time);
  await stream.close();
  assert.equal((await flushed).code, 'CANCELLED');
  assert.deepEqual(await stream.next(), { value: undefined, done: true });
});
