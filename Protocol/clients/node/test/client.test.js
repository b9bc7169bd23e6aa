/** What vectors cannot show: options, the environment, printed forms, iterators, signals, the process. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { inspect } from 'node:util';
import * as carillon from '../src/index.js';
import { MESSAGES } from '../src/codec/messages.js';
import { Call } from '../src/core/call.js';
import { METHODS, plan } from '../src/plans.js';
import { Members, Options, checkMembers } from '../src/options.js';
import { ScriptedServer } from './support/scripted_server.js';
import { TestShell, requests } from './support/test_shell.js';

const { Audience, CarillonError, Client, Notification, fromEnvironment } = carillon;
const SECRET = 'crln_secret_key';
const README = new URL('../README.md', import.meta.url);
const EXAMPLES = new URL('../examples/', import.meta.url);

const refused = (field) => (error) => error instanceof CarillonError && error.code === 'INVALID_ARGUMENT'
  && error.number === 11 && error.effect === 'not_executed' && error.retryAfter === undefined && error.field === field;

test('unknown options and options without a value are refused', () => {
  const good = { addresses: 'localhost:7474' };
  for (const [more, field] of [
    [{ adresses: 'x' }, 'adresses'], [{ requestTimeout: undefined }, 'request_timeout'], [{ apiKey: null }, 'api_key'],
    [{ requestTimeout: '5' }, 'request_timeout'], [{ requestTimeout: Number.NaN }, 'request_timeout'],
    [{ backoff: -1 }, 'backoff'], [{ maximumAttempts: 0 }, 'maximum_attempts'],
    [{ maximumAttempts: 1.5 }, 'maximum_attempts'],
    [{ maximumReceiveBytes: 100 }, 'maximum_receive_bytes'],
    [{ security: 'none' }, 'security'], [{ addressOrder: 'random' }, 'address_order'], [{ lazy: 1 }, 'lazy'],
    [{ onCall: 'x' }, 'on_call'], [{ apiKey: '' }, 'api_key'], [{ apiKey: 'k'.repeat(257) }, 'api_key'],
    [{ apiKey: 'k', apiKeyFile: 'f' }, 'api_key'], [{ ca: 5 }, 'ca'], [{ ca: 'x', caFile: 'y' }, 'ca'],
    [{ certificateFile: 'x' }, 'certificate_file'], [{ app: '' }, 'app'], [{ programName: 7 }, 'program_name'],
  ]) {
    assert.throws(() => new Client({ ...good, ...more }), refused(field), field);
  }
  assert.throws(() => new Client({}), refused('addresses'));
  assert.throws(() => new Client(undefined), refused('options'));
});

test('addresses are read from a text or a list', () => {
  const parse = (addresses) => new Options({ addresses }).addresses.map(({ host, port, path }) => path ?? [host, port]);
  assert.deepEqual(parse(' a:1 , [::1]:2,unix:/run/x.sock'), [['a', 1], ['::1', 2], '/run/x.sock']);
  for (const addresses of ['', 'a', 'a:', ':1', 'a:0', 'a:65536', 'a:x', 'a:1,', '::1:5', '[a]:1', 'unix:', 'a b:1',
    Array(33).fill('a:1'), 7, [7]]) {
    assert.throws(() => new Options({ addresses }), refused('addresses'), String(addresses));
  }
});

test('shuffled addresses are all there, in an order of their own', () => {
  const addresses = Array.from({ length: 32 }, (_, index) => `host:${index + 1}`);
  const draws = [0.9, 0.1, 0.5];
  let drawn = 0;
  class Shuffled extends TestShell {
    random() {
      return draws[drawn++ % draws.length];
    }
  }
  const order = new Shuffled({ addresses, addressOrder: 'shuffled', lazy: true }).dispatcher.servers.targets
    .map(({ address }) => address.text);
  assert.notDeepEqual(order, addresses);
  assert.deepEqual([...order].sort(), [...addresses].sort());
});

test('the name of the program is cut between characters', () => {
  const name = (programName) => new Options({ addresses: 'a:1', programName }).software;
  assert.equal(new Options({ addresses: 'a:1' }).software, `carillon-node/${carillon.VERSION}`);
  assert.equal(name('shop/2'), `carillon-node/${carillon.VERSION} shop/2`);
  // One of the two has a character across the end, whatever length the version has.
  const lengths = ['', 'a'].map((start) => Buffer.byteLength(name(`${start}${'ä'.repeat(60)}`)));
  assert.deepEqual(lengths.sort(), [63, 64]);
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  assert.equal(carillon.VERSION, version);
});

test('no printed form has a secret', async () => {
  const printed = (value) => inspect(value, { depth: 20, showHidden: true });
  const options = fromEnvironment({}, { CARILLON_API_KEY: SECRET });
  const client = new Client(options);
  const error = await client.send({ app: 'a', audience: {}, payload: SECRET }).catch((each) => each);
  for (const value of [options, client, client.app('a'), error, new Options({ addresses: 'a:1', apiKey: SECRET })]) {
    assert.doesNotMatch(printed(value), /secret/);
    assert.doesNotMatch(String(value), /secret/);
  }
  assert.throws(() => fromEnvironment({}, { CARILLON_API_KEY: SECRET.repeat(30) }), (each) => (
    each.field === 'CARILLON_API_KEY' && !/secret/.test(printed(each))));
  await client.close();
});

test('a printed error shows none of the bytes of a token', async () => {
  const client = new Client({ addresses: '127.0.0.1:1', lazy: true });
  const hex = 'fedcba9876543210';
  for (const token of [hex, Buffer.from(hex, 'hex'), `${hex}f`]) {
    const error = await client.register({ app: '', token, locale: 5 }).catch((each) => each);
    assert.ok(error instanceof CarillonError);
    assert.doesNotMatch(`${inspect(error, { depth: 20, showHidden: true })} ${error}`, /fedc|fe dc/i);
  }
  await client.close();
});

test('the environment makes the options', () => {
  assert.deepEqual(fromEnvironment({}, {}), { addresses: '127.0.0.1:7474' });
  const variables = { CARILLON_SERVER: 'a:1,b:2', CARILLON_API_KEY_FILE: '/key', CARILLON_API_KEY: 'k',
    CARILLON_APP: 'app', CARILLON_CA_FILE: '/ca', CARILLON_CERTIFICATE_FILE: '/c', CARILLON_CERTIFICATE_KEY_FILE: '/k',
    CARILLON_SECURITY: 'tls' };
  assert.deepEqual(fromEnvironment({ addresses: 'c:3' }, variables), { addresses: 'c:3', apiKeyFile: '/key', app: 'app',
    caFile: '/ca', certificateFile: '/c', certificateKeyFile: '/k', security: 'tls' });
  assert.equal(fromEnvironment({}, { ...variables, CARILLON_API_KEY_FILE: '' }).apiKey(), 'k');
  const own = fromEnvironment({ apiKey: 'own' }, variables);
  assert.deepEqual([own.apiKey, own.apiKeyFile], ['own', undefined]);
  assert.doesNotThrow(() => new Options(fromEnvironment({}, variables)));
  for (const [name, value] of [['CARILLON_SERVER', 'a'], ['CARILLON_SECURITY', 'none']]) {
    assert.throws(() => fromEnvironment({}, { [name]: value }), refused(name));
  }
});

test('there is no default app in send, and an app that is named is not named again', async () => {
  const client = new Client({ addresses: '127.0.0.1:1', app: 'shop' });
  const audience = { topic: 't' };
  await assert.rejects(client.send({ audience, payload: '{}' }), refused('app'));
  assert.equal(client.app().name, 'shop');
  await assert.rejects(client.app().send({ app: 'shop', audience, payload: '{}' }), refused('app'));
  assert.throws(() => new Client({ addresses: '127.0.0.1:1' }).app(), refused('app'));
  await client.close();
});

test('arguments that mean something else than they say are refused', async () => {
  const client = new Client({ addresses: '127.0.0.1:1' });
  const send = { app: 'a', audience: { topic: 't' }, payload: '{}' };
  for (const [method, request, field] of [
    ['send', { ...send, groups: ['g'] }, 'groups'], ['send', { ...send, topic: 't' }, 'topic'],
    ['send', { ...send, key: '00000000-0000-0000-0000-000000000000' }, 'key'], ['send', { ...send, key: 'x' }, 'key'],
    ['send', { ...send, noKey: false }, 'no_key'], ['send', { ...send, noKey: true, key: 'x' }, 'no_key'],
    ['send', { ...send, bodies: {} }, 'bodies'], ['send', { ...send, bodies: { d: '{}' } }, 'bodies.d'],
    ['send', { ...send, bodies: { de: '{}', DE: '{}' } }, 'bodies.de'], ['send', { ...send, payload: [1] }, 'payload'],
    ['send', { ...send, defaultBody: false }, 'default_body'],
    ['send', { app: 'a', audience: { topic: 't' } }, 'payload'],
    ['send', { ...send, pushType: 'alrt' }, 'push_type'], ['send', { ...send, priority: undefined }, 'priority'],
    ['send', { ...send, payload: { a: Number.NaN } }, 'payload.a'],
    ['resend', { app: 'a', messageId: 1n, outcomes: [] }, 'outcomes'],
    ['resend', { app: 'a', messageId: 1n, outcomes: ['lost'] }, 'outcomes'],
    ['lookup', { app: 'a', device: { id: 1 , token: 'ab' } }, 'device'], ['lookup', { app: 'a', device: 7n }, 'device'],
    ['lookup', { app: 'a' }, 'device'], ['lookup', { app: 'a', device: { id: 1n }, x: 1 }, 'x'],
    ['register', { app: 'a', token: 'ab', attributes: [] }, 'attributes'], ['registerBatch', { items: 7 }, 'items'],
    ['registerBatch', { items: [{ app: 'a', token: 'ab' }, { app: 'a' }] }, 'items'],
    ['updateMessage', { app: 'a', messageId: 1n, action: 'stop' }, 'action'],
    ['messages', { app: 'a', state: 'done' }, 'state'],
    ['events', { apps: [] }, 'apps'], ['events', { kinds: [] }, 'kinds'], ['events', { window: 1 }, 'window'],
    ['events', { start: 7 }, 'start'], ['events', { nam: 'x' }, 'nam'],
  ]) {
    await assert.rejects(client[method](request), refused(field), `${method} ${inspect(request)}`);
  }
  await client.close();
});

test('an option of a call that is unknown or has a value of another type is refused', async () => {
  const client = new Client({ addresses: '127.0.0.1:1' });
  for (const [options, field] of [[{ timeout: 0 }, 'timeout'], [{ timeout: undefined }, 'timeout'],
    [{ signal: 7 }, 'signal'], [{ retry: 1 }, 'retry'], [{ retires: false }, 'retires']]) {
    await assert.rejects(client.lookup({ app: 'a', device: { id: 1n } }, options), refused(field), field);
  }
  await client.close();
});

test('content and keys of a message as they are written', () => {
  const shell = new TestShell();
  const content = { payload: new Notification({ title: 'Raid' }), bodies: { de: { title: 'Überfall' } } };
  shell.call('send', { app: 'a', audience: Audience.allDevices(), ...content, expiration: 0 });
  shell.call('send', { app: 'a', audience: Audience.groups(['g']), bodies: { de: { b: 1n, a: 'x' } }, noKey: true });
  shell.call('resend', { app: 'a', messageId: 1n, notAfter: carillon.NO_LIMIT });
  shell.call('join', { app: 'a', group: 'g', devices: [{ token: 'ab', kind: 'voip' }], announcement: content.payload });
  const [first, second, third, fourth] = requests(shell.written(shell.open())).map(({ fields }) => fields);
  const text = (bytes) => new TextDecoder().decode(bytes);
  assert.match(first.key, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
  assert.deepEqual([first.audience, first.expiration, text(first.payload), text(first.bodies[0].payload)],
    ['all', 0n, '{"aps":{"alert":{"title":"Raid"}}}', '{"aps":{"alert":{"title":"Überfall"}}}']);
  assert.deepEqual([second.audience, second.groups, second.payload.length, text(second.bodies[0].payload), second.key],
    ['groups', ['g'], 0, '{"a":"x","b":1}', '00000000-0000-0000-0000-000000000000']);
  assert.deepEqual([third.notAfter, third.outcomes], [carillon.NO_LIMIT, []]);
  assert.deepEqual(fourth.devices, [{ token: Uint8Array.of(0xab), environment: 'production', kind: 'voip' }]);
});

test('a key that is not a text is refused', () => {
  for (const key of [new Uint8Array(16), Symbol('new key'), 7]) {
    const send = () => new TestShell().call('send', { app: 'a', audience: Audience.allDevices(), payload: '{}', key });
    assert.throws(send, refused('key'));
  }
});

test('pages and rows end by next, not by the number of rows', async () => {
  const server = await ScriptedServer.start();
  const pages = [{ next: 3n, devices: [1n, 2n] }, { next: 9n, devices: [] }, { next: 0n, devices: [10n] }];
  const asked = [];
  server.onRequest = (name, fields) => {
    asked.push(fields.cursor);
    return pages[asked.length - 1];
  };
  const client = await Client.connect({ addresses: server.address });
  const found = [];
  for await (const id of client.app('a').rows('groupDevices', { group: 'g' })) found.push(id);
  assert.deepEqual(found, [1n, 2n, 10n]);
  assert.deepEqual(asked, [0n, 3n, 9n]);
  await assert.rejects(client.rows('lookup', { app: 'a' }).next(), refused('listing'));
  await client.close();
  await server.stop();
});

test('waiting until a message is finished', async () => {
  const server = await ScriptedServer.start();
  let asked = 0;
  server.onRequest = () => ({ state: ++asked < 3 ? 'sending' : 'finished', acceptedAt: undefined, finishedAt: undefined,
    total: 1, outcomes: [] });
  const client = await Client.connect({ addresses: server.address });
  const app = client.app('a');
  assert.equal((await app.waitUntilFinished({ messageId: 1n })).state, 'finished');
  assert.equal(asked, 3);
  asked = -1000;
  await assert.rejects(app.waitUntilFinished({ messageId: 1n }, { timeout: 50 }), { code: 'NO_ANSWER' });
  const signal = AbortSignal.timeout(30);
  await assert.rejects(app.waitUntilFinished({ messageId: 1n }, { signal }), { code: 'CANCELLED' });
  await client.close();
  await server.stop();
});

test('one signal cancels many calls', async () => {
  const server = await ScriptedServer.start();
  server.onRequest = () => undefined;
  const client = await Client.connect({ addresses: server.address });
  const controller = new AbortController();
  const warnings = [];
  const warn = (warning) => warnings.push(warning);
  process.on('warning', warn);
  const calls = Array.from({ length: 50 }, () => client.lookup({ app: 'a', device: { id: 1n } },
    { signal: controller.signal }).catch((error) => error));
  controller.abort('enough');
  for (const error of await Promise.all(calls)) assert.deepEqual([error.code, error.cause], ['CANCELLED', 'enough']);
  await assert.rejects(client.lookup({ app: 'a', device: { id: 1n } }, { signal: controller.signal }),
    { code: 'CANCELLED' });
  await assert.rejects(client.events({}, { signal: controller.signal }), { code: 'CANCELLED' });
  const events = new AbortController();
  const subscribing = client.events({}, { signal: events.signal });
  events.abort();
  await assert.rejects(subscribing, { code: 'CANCELLED' });
  process.off('warning', warn);
  assert.deepEqual(warnings, []);
  await client.close({ drainTimeout: 0 });
  await server.stop();
});

test('an error that a hook throws is dropped', async () => {
  const server = await ScriptedServer.start();
  const fail = () => {
    throw new Error('a fault of the program');
  };
  const client = await Client.connect({ addresses: server.address, onCall: fail, onState: fail, onRetry: fail });
  await client.ping();
  await client.close();
  await server.stop();
});

test('close refuses options that it does not know', async () => {
  const client = new Client({ addresses: '127.0.0.1:1' });
  for (const [options, field] of [[{ drain_timeout: 1 }, 'drain_timeout'], [{ drainTimeout: '1' }, 'drain_timeout'],
    [{ drainTimeout: -1 }, 'drain_timeout'], [{ drainTimeout: NaN }, 'drain_timeout']]) {
    await assert.rejects(client.close(options), (error) => error.code === 'INVALID_ARGUMENT' && error.field === field);
  }
  await client.close({ drainTimeout: 0 });
});

test('a key is read from its file at each connection', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-client-'));
  const file = join(folder, 'key');
  writeFileSync(file, ' first\n');
  const server = await ScriptedServer.start({ authenticated: false });
  const client = await Client.connect({ addresses: server.address, apiKeyFile: file });
  writeFileSync(file, 'second');
  server.drop();
  await client.ping();
  assert.deepEqual(server.keys, ['first', 'second']);
  await client.close();
  await server.stop();
  rmSync(file);
  await assert.rejects(Client.connect({ addresses: server.address, apiKeyFile: file }), (error) => (
    error.code === 'CANNOT_CONNECT' && /ENOENT/.test(error.causes[0])));
  rmSync(folder, { recursive: true });
});

test('a program that forgets close ends', async () => {
  const server = await ScriptedServer.start();
  const program = `import { Client } from ${JSON.stringify(new URL('../src/index.js', import.meta.url).href)};
    const client = await Client.connect({ addresses: ${JSON.stringify(server.address)} });
    await client.ping(); console.log('done');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const status = await new Promise((resolve) => child.once('exit', resolve));
  assert.deepEqual([status, output], [0, 'done\n']);
  await server.stop();
});

test('every operation of the protocol is a method', () => {
  const hidden = ['hello', 'auth', 'subscribeEvents', 'eventCredit', 'unsubscribeEvents'];
  const client = new Client({ addresses: '127.0.0.1:1' });
  const types = readFileSync(new URL('../index.d.ts', import.meta.url), 'utf8');
  for (const name of Object.keys(METHODS).filter((each) => !hidden.includes(each))) {
    assert.equal(typeof client[name], 'function', name);
    assert.match(types, new RegExp(`^  ${name}\\(`, 'm'), name);
  }
});

test('one method counts the devices of a group, the other mutes it', async () => {
  const app = new Client({ addresses: '127.0.0.1:1', lazy: true }).app('a');
  await assert.rejects(app.groupSize({ group: 'g', muted: true }), refused('muted'));
  await assert.rejects(app.setGroupMuted({ group: 'g' }), refused('muted'));
});

test('the README shows the examples as they are', () => {
  const readme = readFileSync(README, 'utf8');
  const files = readdirSync(EXAMPLES).filter((name) => name.endsWith('.js') && name !== 'report.js');
  assert.equal(files.length, 8);
  for (const name of files) {
    assert.ok(readme.includes(`\`\`\`js\n${readFileSync(new URL(name, EXAMPLES), 'utf8')}\`\`\`\n`), name);
  }
});

test('members are refused by their names, whatever the object before had', () => {
  const known = new Members(['audience', 'payload', 'lane']);
  const refuses = (members, field) => assert.throws(() => checkMembers(members, known), refused(field));
  for (const members of [{ audience: 1, payload: 2 }, { payload: 2, audience: 1, lane: 3 }, {}]) {
    checkMembers(members, known);
  }
  refuses({ payload: 2, audience: 1, dryrun: true }, 'dryrun');
  refuses({ dryrun: true, audience: 1 }, 'dryrun');
  refuses({ payload: 2, audience: undefined }, 'audience');
  refuses({ payload: 2, last: 1 }, 'last');
  checkMembers({ lane: 3, payload: 2, audience: 1 }, known);
});

test('every key that the client makes is a UUID of version 4, and another one', () => {
  const keys = new Set();
  for (let index = 0; index < 3000; index++) {
    const call = new Call(MESSAGES.send, Infinity, () => {}, () => {});
    plan(call, METHODS.send, { app: 'a', audience: { topic: 't' }, payload: '{}' }, {});
    keys.add(call.key);
  }
  assert.equal(keys.size, 3000);
  for (const key of keys) assert.match(key, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('the declared types fit their use', { skip: spawnSync('tsc', ['--version']).error && 'there is no tsc' }, () => {
  const { status, stdout } = spawnSync('tsc', ['-p', new URL('tsconfig.json', import.meta.url).pathname],
    { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});

test('statistics have every list, also of a server that says nothing of it', () => {
  assert.deepEqual(METHODS.statistics.adapt({}), {
    apps: [], failures: [], outages: [], nodes: [], claims: [], devicesByProvider: [],
  });
});
