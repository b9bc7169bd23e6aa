/** The client's side of one behaviour vector (`vectors/behaviour/README.md`). */
import { spawn } from 'node:child_process';
import { Buffer } from 'node:buffer';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Audience, CarillonError, Client } from '../../src/index.js';
import { EVENT, MESSAGES } from '../../src/codec/messages.js';
import { camelCase } from '../../src/codec/types.js';
import { Reader } from '../../src/codec/wire.js';
import { PROTOCOL, deviceFromJson, fieldsFromJson, fieldsToJson } from './vectors.js';

const LIMIT_MILLISECONDS = 10_000;
const KEY = 'test-key';
const NO_KEY = '0'.repeat(32);
const FAKE_SERVER = fileURLToPath(new URL('clients/testing/fake_server.py', PROTOCOL));

/** The client gave something else than the vector expects. */
class MismatchError extends Error {}

/** What differs; undefined if the value fits the pattern. Members of a pattern with `others` need not be all. */
function mismatch(pattern, value, path, others = false) {
  if (pattern === '$any') return undefined;
  if (Array.isArray(pattern) && Array.isArray(value) && pattern.length === value.length) {
    return pattern.map((each, index) => mismatch(each, value[index], `${path}[${index}]`)).find(Boolean);
  }
  if (typeof pattern === 'object' && pattern !== null && typeof value === 'object' && value !== null) {
    const extra = others ? undefined : Object.keys(value).find((name) => !(name in pattern));
    if (extra !== undefined) return `${path}.${extra} was not expected`;
    return Object.keys(pattern).map((name) => mismatch(pattern[name], value[name], `${path}.${name}`)).find(Boolean);
  }
  return pattern === value ? undefined
    : `${path}: ${JSON.stringify(pattern)} was expected, ${JSON.stringify(value)} came`;
}

/** The argument of a method for the fields of a request. */
function requestOf(operation, json) {
  const fields = fieldsFromJson(MESSAGES[operation].request, json);
  if (operation === 'register_batch') {
    return { items: json.items.map((item) => {
      const reader = new Reader().attach(Buffer.from(item, 'hex'));
      return withoutAbsent(MESSAGES.register.request.read(reader));
    }) };
  }
  if (operation === 'send' || operation === 'resend') {
    if (json.key === NO_KEY) Object.assign(fields, { key: undefined, noKey: true });
    if (fields.outcomes?.length === 0) fields.outcomes = undefined;
  }
  if (operation === 'send') {
    const { devices, groups, topic, condition, ...others } = fields;
    const audiences = { devices: { devices }, groups: { groups }, topic: { topic }, condition: { condition },
      all: Audience.allDevices() };
    return withoutAbsent({ ...others, audience: audiences[fields.audience] });
  }
  return withoutAbsent(fields);
}

function withoutAbsent(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The fields of an answer in the form of the vectors. */
function answerToJson(operation, answer) {
  if (operation === 'register_batch') {
    const results = answer.results.map((each) => ({ deviceId: 0n, result: 0, ...each }));
    return fieldsToJson(MESSAGES.register_batch.answer, { results });
  }
  const fields = { ...answer };
  if (operation === 'lookup') {
    fields.attributes = Object.entries(answer.attributes).map(([key, value]) => ({ key, value }));
  }
  return fieldsToJson(MESSAGES[operation].answer, fields);
}

/** An error in the form of the vectors. */
function errorToJson(error) {
  const { code, number, effect, scope, attempts } = error;
  return { code, number, effect, scope, attempts, field: error.field ?? null, item: error.item ?? null,
    retry_after_ms: error.retryAfter ?? null, column: error.column ?? null, key: error.key?.replaceAll('-', '') ?? null,
    limit: error.limit === undefined ? null : String(error.limit), causes: error.causes.length,
    is_not_executed: error.isNotExecuted, is_safe_to_retry: error.isSafeToRetry, is_transient: error.isTransient };
}

/** An element of a stream in the form of the vectors. */
function elementToJson({ value, done }) {
  if (done) return { end: true };
  if (value.type === 'newHistory') return { new_history: true };
  if (value.type === 'event') return { event: fieldsToJson(EVENT, value) };
  return { gap: { missed_from: String(value.missedFrom), missed_to: String(value.missedTo) } };
}

/** Plays one vector. */
export class Player {
  constructor(vector) {
    this.vector = vector;
    this.results = new Map();
    this.streams = new Map();
    this.controllers = new Map();
    this.clients = [];
    this.seen = [];
    this.reached = new Set();
    this.key = KEY;
    this.watchers = new Set();
  }

  /** Performs all actions and returns what was wrong. */
  async play() {
    const problems = [];
    await this.#start();
    for (const [index, action] of this.vector.client.entries()) {
      try {
        await this.#bounded(this[action.do](action), action.do);
      } catch (error) {
        if (!(error instanceof MismatchError)) throw error;
        problems.push(`action ${index + 1}, ${action.do}: ${error.message}`);
        break;
      }
    }
    await Promise.all(this.clients.map((client) => client.close({ drainTimeout: 0 })));
    this.server.stdin.write('verdict\n');
    const { failures } = await this.verdict;
    return [...problems, ...failures.map((each) => JSON.stringify(each))];
  }

  async #start() {
    this.server = spawn('python3', ['-B', FAKE_SERVER, this.vector.name], { stdio: ['pipe', 'pipe', 'inherit'] });
    let resolveVerdict;
    this.verdict = new Promise((resolve) => {
      resolveVerdict = resolve;
    });
    await new Promise((resolve) => {
      createInterface({ input: this.server.stdout }).on('line', (line) => {
        const message = JSON.parse(line);
        if (message.listening) {
          Object.assign(this, message);
          resolve();
        }
        if (message.reached) this.reached.add(message.reached);
        if (message.failed) this.hasFailed = true;
        if (message.verdict) resolveVerdict(message.verdict);
        for (const watcher of this.watchers) watcher();
      });
    });
    this.names = new Map(Object.entries(this.listening).map(([name, address]) => [address, name]));
  }

  /** Waits no longer than the limit, and not when the servers have found a failure. */
  #bounded(promise, what) {
    return new Promise((resolve, reject) => {
      const stop = () => reject(new MismatchError(`${what} did not end`));
      const timer = setTimeout(stop, LIMIT_MILLISECONDS);
      const watcher = () => {
        if (this.hasFailed) setTimeout(stop, 200);
      };
      this.watchers.add(watcher);
      promise.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        this.watchers.delete(watcher);
      });
    });
  }

  /** Keeps a result for `wait`, or compares it. */
  async #keepOrCompare(promise, action, toJson = () => ({})) {
    const found = promise.then((value) => ({ value: toJson(value) }), (error) => {
      if (!(error instanceof CarillonError)) throw error;
      return { error: errorToJson(error) };
    });
    if (action.as === undefined) this.#compare(await found, action.expect);
    else this.results.set(action.as, found);
  }

  #compare({ value, error }, expect = {}) {
    if (error !== undefined && expect.error === undefined) {
      throw new MismatchError(`success was expected, ${JSON.stringify(error)} came`);
    }
    const [[kind, pattern] = []] = Object.entries(expect);
    if (kind === undefined) return;
    const found = kind === 'error' ? error : kind === 'fields' ? value : value[kind];
    const text = mismatch(pattern, found, kind, ['error', 'fields', 'event'].includes(kind));
    if (text !== undefined) throw new MismatchError(text);
  }

  #options(action) {
    const named = { ...this.vector.options, ...action.options };
    const { api_key: key = KEY, credential, addresses = Object.keys(this.vector.servers), ...others } = named;
    this.key = key;
    const options = { addresses: addresses.map((name) => this.listening[name] ?? name),
      onState: (state) => this.seen.push(state) };
    if (credential) options.apiKey = () => this.key;
    else if (key !== null) options.apiKey = key;
    for (const [name, value] of Object.entries(others)) {
      options[camelCase(name.replace(/_ms$/, ''))] = typeof value === 'string' && value.startsWith('$')
        ? this.files[value.slice(1)] : value;
    }
    return options;
  }

  // Actions

  async connect(action) {
    try {
      this.client = new Client(this.#options(action));
    } catch (error) {
      this.#compare({ error: errorToJson(error) }, action.expect);
      return;
    }
    this.clients.push(this.client);
    if ({ ...this.vector.options, ...action.options }.lazy) return;
    await this.#keepOrCompare(this.client.connect(), action);
  }

  async call(action) {
    const { operation, timeout_ms: timeout, retry } = action;
    const controller = new AbortController();
    const options = withoutAbsent({ timeout, retry, signal: controller.signal });
    const method = camelCase(operation);
    const promise = this.client[method](requestOf(operation, action.fields), options);
    if (action.as) this.controllers.set(action.as, controller);
    await this.#keepOrCompare(promise, action, (answer) => answerToJson(operation, answer));
  }

  async send(action) {
    const { options = {}, audience, ...others } = action.arguments;
    const request = { ...others };
    for (const [name, value] of Object.entries(options)) {
      request[camelCase(name)] = name === 'dry_run' && value !== null ? value === 1 : value;
    }
    if (audience !== undefined) {
      request.audience = audience?.all === true ? Audience.allDevices() : audience;
      if (Array.isArray(audience?.devices)) request.audience = { devices: audience.devices.map(deviceFromJson) };
    }
    await this.#keepOrCompare(this.client.send(request), action, (answer) => answerToJson('send', answer));
  }

  async wait(action) {
    this.#compare(await this.results.get(action.for), action.expect);
  }

  async cancel(action) {
    this.controllers.get(action.call).abort();
  }

  async ping(action) {
    await this.#keepOrCompare(this.client.ping(), action);
  }

  async events({ as, name, start, window, apps, kinds, expect }) {
    const request = withoutAbsent({ name, window, apps, kinds,
      start: /^\d+$/.test(start ?? '') ? BigInt(start) : start });
    await this.#keepOrCompare(this.client.events(request).then((stream) => this.streams.set(as, stream)), { expect });
  }

  async take(action) {
    await this.#keepOrCompare(this.streams.get(action.from).next(), action, elementToJson);
  }

  async ack(action) {
    const acked = async () => this.streams.get(action.from).acknowledge(BigInt(action.sequence));
    await this.#keepOrCompare(acked(), action);
  }

  async flush(action) {
    await this.#keepOrCompare(this.streams.get(action.from).flush(), action);
  }

  async end_events(action) {
    await this.#keepOrCompare(this.streams.get(action.from).close(), action);
  }

  async close(action) {
    await this.#keepOrCompare(this.client.close(withoutAbsent({ drainTimeout: action.drain_timeout_ms })), action);
  }

  /** The action `await` of a vector: waits until the servers have reached the point `name`. */
  await({ name }) {
    return new Promise((resolve) => {
      const watcher = () => {
        if (!this.reached.has(name)) return;
        this.watchers.delete(watcher);
        resolve();
      };
      this.watchers.add(watcher);
      watcher();
    });
  }

  async signal({ name }) {
    this.server.stdin.write(`signal ${name}\n`);
  }

  async credential({ value }) {
    this.key = value;
  }

  async states({ expect }) {
    const found = this.seen.filter(({ state }) => state !== 'connecting' && state !== 'newHistory')
      .map(({ state, address }) => (address === undefined ? state : `${state} ${this.names.get(address)}`));
    const text = mismatch(expect, found, 'states');
    if (text !== undefined) throw new MismatchError(text);
  }
}
