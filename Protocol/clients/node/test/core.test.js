/** The client without sockets: sessions byte by byte, bounds, hooks, what a peer may send. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { codeNumber } from '../src/codec/enumerations.js';
import { CONTROL, EVENT, HEADER_SIZE, Layout, frame, getHeader } from '../src/codec/layout.js';
import {
  BY_OPCODE, COMMON_TAGS, EVENT_OPCODE, GOAWAY, GOAWAY_OPCODE, MESSAGES, PING_OPCODE, POSITION_OPCODE,
} from '../src/codec/messages.js';
import { Reader } from '../src/codec/wire.js';
import { Call } from '../src/core/call.js';
import { Heap, List, Schedule, Window } from '../src/core/collections.js';
import { Client } from '../src/client.js';
import { Session } from '../src/core/session.js';
import { Options } from '../src/options.js';
import { EPOCH, HELLO, PREFACE, TestShell, answer, refusal, requests } from './support/test_shell.js';
import { load } from './support/vectors.js';

const LOOKUP = { app: 'a', device: { id: 7n } };
const DEVICE = { deviceId: 7n, environment: 'production', kind: 'device', token: Uint8Array.of(1),
  registeredAt: undefined, seenAt: undefined, state: 'active' };

/** Reads a frame of a client. */
function readRequest(bytes) {
  const { opcode } = getHeader(bytes, 0);
  const { name, request } = BY_OPCODE.get(opcode);
  const layout = new Layout({ ...request.description, tags: [...COMMON_TAGS, ...request.description.tags] });
  const reader = new Reader().attach(bytes);
  reader.position = HEADER_SIZE;
  const { deadlineMs, ...fields } = layout.read(reader);
  return { name, fields, deadline: deadlineMs ?? Infinity };
}

/** Plays a session of the vectors: what the client writes must be its bytes. Returns what the server has said. */
function playSession(steps, size) {
  const bytes = steps.map(({ hex }) => Buffer.from(hex, 'hex'));
  const hello = readRequest(bytes[2]).fields;
  const auth = readRequest(bytes[4]).fields;
  const owner = recorder();
  const sessionOptions = { software: hello.software, maximumReceiveBytes: hello.receiveLimit, maximumInFlight: 1024 };
  const session = new Session(sessionOptions, Buffer.from(auth.credential), 0, owner);
  // The vectors say 0, which is the limit of the server. This client always says its own.
  session.options.maximumReceiveBytes = 1 << 20;
  const written = [];
  steps.forEach(({ from }, index) => {
    if (from === 'server') {
      for (let start = 0; start < bytes[index].length; start += size) {
        session.receive(bytes[index].subarray(start, start + size), 0);
      }
    } else if (index > 4) {
      const { name, fields, deadline } = readRequest(bytes[index]);
      const call = new Call(MESSAGES[name], deadline, () => {}, () => {});
      call.encode(fields);
      session.request(call);
    }
    if (session.hasOutput) written.push(session.takeOutput(0));
  });
  const expected = bytes.filter((_, index) => steps[index].from === 'client');
  assert.equal(Buffer.concat(written).toString('hex'), Buffer.concat(expected).toString('hex'));
  return owner.said.map(([what]) => what);
}

test('the sessions of the vectors, in pieces of every size', () => {
  const sessions = load('sessions');
  assert.equal(sessions.length, 2);
  const said = {
    'a session with events': ['opened', 'work', 'answered', 'event', 'event', 'answered', 'event', 'answered'],
    'the first push': ['opened', 'work', 'answered', 'answered', 'answered'],
  };
  for (const { steps } of sessions) {
    const expected = steps.length === 15 ? said['a session with events'] : said['the first push'];
    for (const size of [1, 2, 3, 15, 16, 17, 1000]) assert.deepEqual(playSession(steps, size), expected);
  }
});

test('a list keeps its order', () => {
  const list = new List();
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name }));
  list.push(b);
  list.push(c);
  list.unshift(a);
  list.remove(b);
  assert.deepEqual([...list].map(({ name }) => name), ['a', 'c']);
  assert.equal(list.shift(), a);
  assert.equal(list.shift(), c);
  assert.equal(list.shift(), undefined);
  assert.equal(list.size, 0);
});

for (const [name, make] of [['heap', () => new Heap()], ['schedule', () => new Schedule()]]) {
  test(`a ${name} gives its elements in order, whatever was removed`, () => {
    const seed = randomInt(2 ** 31);
    const random = generator(seed);
    const found = make();
    // Most of them in their order, as the deadlines of calls, and some not.
    const all = Array.from({ length: 1000 }, (_, index) => ({ due: index + (random() < 0.1 ? 200 * random() : 0) }));
    const left = new Set();
    for (const each of all) {
      found.push(each);
      left.add(each);
      for (const old of left) {
        if (random() > 0.01) continue;
        found.remove(old);
        left.delete(old);
        assert.equal(old.place, -1, `seed ${seed}`);
      }
      assert.equal(found.size, left.size, `seed ${seed}`);
    }
    assert.deepEqual(new Set(found.elements), left, `seed ${seed}`);
    const taken = [];
    while (found.size > 0) {
      taken.push(found.first.due);
      found.remove(found.first);
    }
    assert.deepEqual(taken, [...left].map(({ due }) => due).sort((one, other) => one - other), `seed ${seed}`);
    assert.equal(found.first, undefined);
  });
}

test('a window is a map of ascending ids, also with elements that stay', () => {
  const seed = randomInt(2 ** 31);
  const random = generator(seed);
  const window = new Window();
  const map = new Map();
  let id = 2;
  for (let step = 0; step < 300_000; step++) {
    id += random() < 0.01 ? 1 + Math.floor(random() * 500) : 1;
    window.set(id, `element ${id}`);
    map.set(id, `element ${id}`);
    // Of a few hundred elements one in a thousand stays.
    const gone = id - Math.floor(random() * 300);
    if (gone % 1000 !== 0) {
      window.delete(gone);
      map.delete(gone);
    }
    if (step % 10_000 === 0) {
      for (const old of [...map.keys()].filter((each) => each < id - 600 && each % 1000 !== 0)) {
        assert.equal(window.get(old), map.get(old), `seed ${seed}`);
        window.delete(old);
        map.delete(old);
      }
      assert.equal(window.first, map.values().next().value, `seed ${seed}`);
      assert.deepEqual([...window.values()], [...map.values()], `seed ${seed}`);
    }
    assert.equal(window.size, map.size, `seed ${seed}`);
  }
});

/** Numbers from 0 to below 1 that a seed repeats (mulberry32). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An owner that keeps what a session says. */
function recorder() {
  const said = [];
  const note = (what) => (session, ...values) => said.push([what, ...values]);
  return { said, opened: note('opened'), worked: note('work'), answered: note('answered'),
    refused: note('refused'), eventReceived: note('event'), goaway: note('goaway'),
    positionReceived: note('position'), pong: note('pong'), failed: note('fault') };
}

const CLUSTER = '63636363-6363-6363-6363-636363636363';
const NODE = { ...HELLO, node: 'a', cluster: CLUSTER };

function position(number) {
  const data = Buffer.alloc(8);
  data.writeBigUInt64BE(number);
  return frame({ kind: CONTROL, opcode: POSITION_OPCODE }, data);
}

/** The opcodes of some bytes, POSITION with its number. */
function written(bytes) {
  const found = [];
  for (let at = 0; at < bytes.length;) {
    const { length, opcode } = getHeader(bytes, at);
    found.push(opcode === POSITION_OPCODE ? bytes.readBigUInt64BE(at + HEADER_SIZE) : opcode);
    at += HEADER_SIZE + length;
  }
  return found;
}

test('the position of one node is sent to the next', () => {
  const shell = new TestShell();
  shell.call('lookup', LOOKUP);
  const first = shell.open(NODE);
  assert.deepEqual(written(shell.written(first)), [MESSAGES.lookup.opcode]);
  shell.dispatcher.received(first, Buffer.concat([position(41n), position(40n)]), shell.time);
  assert.deepEqual(shell.dispatcher.logPosition.seen, { cluster: CLUSTER, number: 41n });
  shell.dispatcher.ended(first, undefined, shell.time);
  const second = shell.open({ ...NODE, node: 'b' });
  assert.deepEqual(written(shell.written(second)), [41n, MESSAGES.lookup.opcode]);
});

test('another cluster and a single server get no position', () => {
  for (const hello of [HELLO, { ...NODE, cluster: EPOCH }]) {
    const shell = new TestShell();
    shell.dispatcher.readAfter({ cluster: CLUSTER, number: 7n });
    shell.call('lookup', LOOKUP);
    const connection = shell.open(hello);
    assert.deepEqual(written(shell.written(connection)), [MESSAGES.lookup.opcode]);
    shell.dispatcher.readAfter({ cluster: CLUSTER, number: 8n });
    assert.deepEqual(written(shell.written(connection)), []);
  }
});

test('the observed position of another client is sent', () => {
  const shell = new TestShell();
  shell.call('lookup', LOOKUP);
  const connection = shell.open(NODE);
  for (const number of [7n, 6n]) shell.dispatcher.readAfter({ cluster: CLUSTER, number });
  assert.deepEqual(written(shell.written(connection)), [7n, MESSAGES.lookup.opcode]);
});

test('a node that is behind is left for another', () => {
  const shell = new TestShell();
  shell.call('lookup', LOOKUP);
  const first = shell.open(NODE);
  const [{ id }] = requests(shell.written(first));
  const behind = refusal('lookup', id, { code: 'BEHIND', retryAfterMs: 500, message: 'behind' });
  shell.dispatcher.received(first, behind, shell.time);
  shell.run(1000);
  assert.equal(shell.connections.length, 2);
  assert.notEqual(shell.connections[1].address, first.address);
});

test('a text that is no position is refused', () => {
  const client = new Client({ addresses: 'a:1' });
  client.readAfter(`${CLUSTER}:7`);
  assert.equal(client.position, `${CLUSTER}:7`);
  for (const text of ['', '7', 'x:7', CLUSTER, `${CLUSTER}:`, `${CLUSTER}:-1`, `${CLUSTER}:99999999999999999999`]) {
    assert.throws(() => client.readAfter(text), { code: 'INVALID_ARGUMENT', field: 'position' });
  }
});

test('whatever a server sends, a session reads it or ends', () => {
  const seed = randomInt(2 ** 31);
  const random = generator(seed);
  const options = new Options({ addresses: 'a:1' });
  const frames = [...load('valid').filter(({ from }) => from === 'server'), ...load('invalid')]
    .map(({ hex }) => Buffer.from(hex, 'hex'));
  assert.ok(frames.length > 1700);
  let faults = 0;
  for (const original of frames) {
    const owner = recorder();
    const session = new Session(options, Buffer.from('key'), 0, owner);
    session.receive(PREFACE, 0);
    session.receive(answer('hello', 1, HELLO), 0);
    const bytes = Buffer.from(original);
    for (let count = Math.floor(random() * 4); count > 0; count--) {
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    }
    session.receive(bytes, 1);
    session.receive(Buffer.from(original), 1);
    faults += owner.said.filter(([what]) => what === 'fault').length;
    assert.ok(owner.said.filter(([what]) => what === 'fault').length <= 1, `seed ${seed}`);
    assert.ok(session.input.capacity <= 4 * (options.maximumReceiveBytes + HEADER_SIZE), `seed ${seed}`);
  }
  assert.ok(faults > 100, `seed ${seed}`);
});

test('calls that are made together go out in one write', () => {
  const shell = new TestShell();
  for (let index = 0; index < 10; index++) shell.call('lookup', LOOKUP);
  const connection = shell.open();
  const written = requests(shell.written(connection));
  assert.deepEqual(written.map(({ id }) => id), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  assert.equal(connection.session.hasOutput, false);
});

test('a write has at most 64 KiB, unless one frame is longer', () => {
  const shell = new TestShell();
  const connection = openWith(shell, 3, 30_000);
  assert.deepEqual(requests(shell.written(connection)).length, 2);
  assert.deepEqual(requests(shell.written(connection)).length, 1);
  const large = new TestShell();
  const other = openWith(large, 1, 100_000);
  assert.equal(large.written(other).length > 100_000, true);
});

function openWith(shell, count, size) {
  for (let index = 0; index < count; index++) {
    shell.call('send', { app: 'a', audience: { topic: 't' }, payload: new Uint8Array(size) });
  }
  return shell.open();
}

test('the hooks are told of calls, repetitions and connections', () => {
  const shell = new TestShell();
  const done = shell.call('lookup', LOOKUP);
  const connection = shell.open();
  shell.written(connection);
  shell.time += 5;
  shell.dispatcher.ended(connection, undefined, shell.time);
  const second = shell.open();
  assert.notEqual(second.target, connection.target);
  const [{ id }] = requests(shell.written(second));
  shell.says(second, answer('lookup', id, DEVICE));
  assert.equal(done.value.deviceId, 7n);
  const calls = shell.reports.filter(({ hook }) => hook === 'onCall');
  assert.deepEqual(calls, [{ hook: 'onCall', operation: 'lookup', address: '127.0.0.1:2', duration: 5, attempts: 2,
    code: undefined, effect: 'not_executed' }]);
  const states = shell.reports.filter(({ hook }) => hook === 'onState');
  assert.deepEqual(states.map(({ state, address }) => [state, address]), [
    ['connecting', '127.0.0.1:1'], ['connected', '127.0.0.1:1'], ['disconnected', '127.0.0.1:1'],
    ['connecting', '127.0.0.1:2'], ['connected', '127.0.0.1:2']]);
});

test('a repetition is reported with its pause', () => {
  const shell = new TestShell();
  shell.call('lookup', LOOKUP);
  const connection = shell.open();
  const [{ id }] = requests(shell.written(connection));
  shell.says(connection, refusal('lookup', id, { code: 'OVERLOADED', retryAfterMs: 150 }));
  const [retry] = shell.reports.filter(({ hook }) => hook === 'onRetry');
  assert.deepEqual([retry.operation, retry.attempt, retry.pause, retry.error.code], ['lookup', 1, 225, 'OVERLOADED']);
  shell.run(224);
  assert.equal(connection.session.hasOutput, false);
  shell.run(1);
  assert.equal(requests(shell.written(connection)).length, 1);
});

test('a change of the wall clock has no effect', () => {
  const shell = new TestShell();
  const result = shell.call('lookup', LOOKUP, 1000);
  const before = Date.now;
  Date.now = () => before() + 3_600_000;
  try {
    shell.open();
    shell.run(999);
    assert.equal(result.error, undefined);
    shell.run(1);
    assert.equal(result.error.code, 'NO_ANSWER');
  } finally {
    Date.now = before;
  }
});

test('ten thousand cancelled calls leave nothing behind', () => {
  const shell = new TestShell({ maximumWaitingCalls: 10 });
  for (let index = 0; index < 10_000; index++) {
    const result = shell.call('lookup', LOOKUP);
    shell.dispatcher.cancel(result.call, undefined, shell.time);
    assert.equal(result.error.code, 'CANCELLED');
  }
  const { waiting, calls, requestBytes } = shell.dispatcher;
  assert.deepEqual([waiting.size, calls.size, requestBytes], [0, 0, 0]);
});

test('a server that sends more than 100 PINGs a second loses the connection', () => {
  const shell = new TestShell();
  shell.call('lookup', LOOKUP);
  const connection = shell.open();
  const ping = frame({ kind: CONTROL, opcode: PING_OPCODE }, Buffer.alloc(8));
  for (let index = 0; index < 100; index++) shell.says(connection, ping);
  assert.equal(connection.hasEnded, false);
  shell.says(connection, ping);
  assert.equal(connection.hasEnded, true);
});

test('a request above the last id of a GOAWAY is not an attempt', () => {
  const shell = new TestShell();
  const result = shell.call('updateMessage', { app: 'a', messageId: 1n, action: 'resume' });
  const connection = shell.open();
  const [{ id }] = requests(shell.written(connection));
  const fields = { lastId: BigInt(id - 1), code: codeNumber('DRAINING'), graceMs: 1, reconnectAfterMs: 0, reason: '' };
  shell.says(connection, frame({ kind: CONTROL, opcode: GOAWAY_OPCODE }, GOAWAY.encode(fields)));
  assert.equal(connection.isDisconnected, true);
  shell.run(100);
  const second = shell.open();
  assert.notEqual(second, connection);
  const [again] = requests(shell.written(second));
  assert.equal(again.name, 'update_message');
  assert.equal(result.call.attempts, 1);
});

test('an event of an unknown subscription is skipped', () => {
  const shell = new TestShell();
  shell.call('lookup', LOOKUP);
  const connection = shell.open();
  const payload = Buffer.alloc(18);
  shell.says(connection, frame({ kind: EVENT, opcode: EVENT_OPCODE, id: 99 }, payload));
  assert.equal(connection.hasEnded, false);
  assert.equal(getHeader(shell.written(connection), 0).id, 2);
});

test('requests that are next to each other are written without a copy, and a repetition does not change them', () => {
  const shell = new TestShell();
  const calls = Array.from({ length: 3 }, () => shell.call('lookup', LOOKUP));
  const first = shell.open();
  const written = shell.written(first);
  assert.equal(written.buffer, calls[0].call.bytes.buffer);
  const copy = Buffer.from(written);
  shell.dispatcher.ended(first, undefined, shell.time);
  const second = shell.open();
  // The rest of the deadline is another one than at first.
  shell.run(1000);
  const again = shell.written(second);
  assert.deepEqual(written, copy);
  assert.deepEqual(requests(again).map(({ name }) => name), ['lookup', 'lookup', 'lookup']);
  // The deadline is the last field.
  assert.deepEqual([written, again].map((bytes) => bytes.readUInt32BE(bytes.length - 4)), [10_000, 9000]);
});

test('requests share memory: a large one has its own, and a repetition changes nothing that was written', () => {
  const shell = new TestShell();
  const calls = [shell.call('lookup', LOOKUP)];
  const first = shell.open();
  calls.push(shell.call('send', { app: 'a', audience: { topic: 't' }, payload: 'x'.repeat(100_000) }));
  for (let index = 0; index < 1000; index++) {
    calls.push(shell.call('send', { app: 'a', audience: { topic: `${index}` }, payload: '\u00e9'.repeat(index) }));
  }
  assert.ok(calls.every(({ call }) => call.bytes.length <= Math.max(call.size, 1 << 15)), 'no more than is needed');
  shell.run();
  const written = shell.written(first);
  const copy = Buffer.from(written);
  const [lookup] = requests(written);
  shell.dispatcher.ended(first, undefined, shell.time);
  const second = shell.open();
  const all = [];
  while (second.session.hasOutput) all.push(shell.written(second));
  const again = requests(Buffer.concat(all));
  assert.deepEqual(again[0], lookup);
  assert.deepEqual(written, copy);
  assert.deepEqual(again.slice(2).map(({ fields }) => [fields.topic, fields.payload.length]),
    Array.from({ length: again.length - 2 }, (_, index) => [`${index}`, 2 * index]));
  assert.ok(again.length > 900);
});
