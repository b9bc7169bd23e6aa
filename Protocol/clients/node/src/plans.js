/**
 * What a method makes of its argument: the fields of the request, whether it may be repeated (CONTRACT.md, RET-2), its
 * key (RET-3); and what it makes of the answer.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { MESSAGES } from './codec/messages.js';
import { CarillonError, invalidArgument } from './errors.js';
import { Members, checkMembers } from './options.js';
import { NEW_KEY, memberCount } from './codec/types.js';
import { Reader, TextBytes, UnencodableError } from './codec/wire.js';
import { contentOf, payloadField } from './payload/notification.js';

const NO_KEY = '00000000-0000-0000-0000-000000000000';
const ALL = Object.freeze({ kind: 'all' });
const NO_CHANNEL = Object.freeze({ id: undefined, environment: null });

/** The audience of a message: one of these, or an object with one member of that name. */
export const Audience = Object.freeze({
  /** @param {any[]} devices */
  devices: (devices) => ({ devices }),
  /** Every device of any of the groups, once. @param {string[]} groups */
  groups: (groups) => ({ groups }),
  /** @param {string} topic */
  topic: (topic) => ({ topic }),
  /** @param {string} condition `Conditions.md` */
  condition: (condition) => ({ condition }),
  /** The devices that are subscribed to a broadcast channel at APNs. @param {string} id @param {string} environment */
  channel: (id, environment = 'production') => ({ channel: { id, environment } }),
  /** Every device of the app. There is no other way to say this. */
  allDevices: () => ALL,
});

/** The kind of an audience; INVALID_ARGUMENT unless it is exactly one (AUD-1, AUD-2). */
function audienceKind(audience) {
  if (audience === ALL) return 'all';
  if (typeof audience === 'object' && audience !== null && memberCount(audience) === 1) {
    const { devices, groups, topic, condition, channel } = audience;
    if (isFull(devices)) return 'devices';
    if (isText(topic)) return 'topic';
    if (isFull(groups)) return 'groups';
    if (isText(condition)) return 'condition';
    if (isText(channel?.id)) return 'channel';
  }
  throw invalidArgument('audience', 'must be exactly one of devices, groups, topic, condition, channel and '
    + 'Audience.allDevices(), and not empty');
}

const isFull = (list) => Array.isArray(list) && list.length > 0;
const isText = (text) => typeof text === 'string' && text !== '';

/** The values of members that the program leaves out, for all messages but those of `OWN_DEFAULTS`. */
const COMMON_DEFAULTS = {
  environment: 'production', kind: 'device', cursor: 0n, before: 0n, after: '', prefix: '', limit: 1000,
};
const OWN_DEFAULTS = { receipt_devices: { cursor: 0n, limit: 1000 }, subscribe: { devices: [], groups: [] },
  unsubscribe: { devices: [], groups: [] } };
/** By message: fields of the request that are no members of the method's argument. */
const FIELDS_WITHOUT_MEMBER = { send: ['devices', 'groups', 'topic', 'condition', 'channel', 'environment', 'except'] };
/** By message: members of the method's argument that are no fields of the request. */
const MEMBERS_WITHOUT_FIELD = {
  send: ['noKey', 'defaultBody', 'excludedDevice'], resend: ['noKey'], join: ['defaultBody'], switch: ['defaultBody'],
};

/** Attributes as the list of the protocol. */
function attributeList(attributes) {
  if (typeof attributes !== 'object' || Array.isArray(attributes)) {
    throw invalidArgument('attributes', 'must be an object of texts');
  }
  return Object.entries(attributes).map(([key, value]) => ({ key, value }));
}

/** The fields that are made for a request with attributes. */
function fieldsWithAttributes(request, { app }) {
  return { app, attributes: request.attributes === undefined ? undefined : attributeList(request.attributes) };
}

/** The fields that are made for REGISTER. */
function registrationFields(request, own) {
  return { ...fieldsWithAttributes(request, own), subscription: objectField(request.subscription, 'subscription') };
}

/** The payload of an item of REGISTER_BATCH; a fault is one of `items`. */
function itemBytes(item, index) {
  try {
    const request = checked(METHODS.register, item);
    return MESSAGES.register.request.encode({ ...request, ...registrationFields(request, request) });
  } catch (error) {
    if (!(error instanceof UnencodableError || error instanceof CarillonError)) throw error;
    throw invalidArgument('items', `item ${index}: ${error.message}`).with({ item: index });
  }
}

/** The fields of the announcement of a JOIN or SWITCH; null where there is none. */
function announcementFields({ announcement, bodies, defaultBody }, { app }) {
  const content = contentOf({ payload: announcement, bodies, defaultBody }, 'announcement', 'alert');
  return { app, announcement: content.payload ?? null, bodies: content.bodies ?? null };
}

/** A JSON object as a field of bytes; undefined for none. */
function objectField(value, field) {
  return value === undefined ? undefined : payloadField(value, field);
}

/**
 * The token of a browser: the SHA-256 of the endpoint of its push subscription (§16.3).
 *
 * @param {any} subscription
 * @returns {Uint8Array}
 */
export function browserToken(subscription) {
  const json = payloadField(subscription, 'subscription');
  const { endpoint } = JSON.parse(json instanceof TextBytes ? json.text : new TextDecoder().decode(json));
  if (typeof endpoint !== 'string') throw invalidArgument('subscription', 'has no endpoint');
  return new Uint8Array(createHash('sha256').update(endpoint).digest());
}

/** The key of a call (RET-3): that of the program, none, or a new one. */
function keyOf(call, { key, noKey }) {
  if (noKey !== undefined && noKey !== true) throw invalidArgument('no_key', 'must be true');
  if (noKey && key !== undefined) throw invalidArgument('no_key', 'only one of key and no_key can be given');
  call.hasKey = !noKey;
  if (noKey) return NO_KEY;
  if (key === undefined) return NEW_KEY;
  if (typeof key !== 'string') throw invalidArgument('key', 'must be a UUID');
  if (/^[0-]*$/.test(key)) throw invalidArgument('key', 'is not a key; say no_key');
  return key;
}

/**
 * By message: sets what decides about repetitions, and returns the fields that are not those of the request. `own` has
 * the app, if that is not a member of the request.
 *
 * @typedef {import('./core/call.js').Call} Call
 * @type {Record<string, (call: Call, request: any, own: {app?: string}) => Record<string, any>>}
 */
const PLANS = {
  register(call, request, own) {
    call.isRepeatable = hasTime(request.seenAt);
    return registrationFields(request, own);
  },
  register_batch(call, { items }) {
    if (!Array.isArray(items)) throw invalidArgument('items', 'must be an array');
    const encoded = items.map(itemBytes);
    call.isRepeatable = items.every((item) => hasTime(item.seenAt));
    return { items: encoded };
  },
  unregister(call, request, own) {
    call.isRepeatable = hasTime(request.at);
    return own;
  },
  update_device: (call, request, own) => fieldsWithAttributes(request, own),
  join: (call, request, own) => announcementFields(request, own),
  switch: (call, request, own) => announcementFields(request, own),
  update_group(call, request, own) {
    if (request.muted === undefined) throw invalidArgument('muted', 'is missing');
    return own;
  },
  send(call, request, { app }) {
    const { audience, priority = 0, pushType = 'alert' } = request;
    const content = contentOf(request, 'payload', pushType);
    const key = keyOf(call, request);
    call.isReadOnly = request.dryRun === true;
    call.isRepeatable = call.isReadOnly || call.hasKey;
    if (content.payload === undefined && content.bodies === undefined) throw invalidArgument('payload', 'is missing');
    const kind = audienceKind(audience);
    const { id: channel, environment = 'production' } = kind === 'channel' ? audience.channel : NO_CHANNEL;
    return { app, key, pushType, priority, audience: kind, devices: kind === 'devices' ? audience.devices : [],
      payload: content.payload ?? new Uint8Array(), groups: audience.groups, topic: audience.topic,
      condition: audience.condition, bodies: content.bodies ?? null, channel, environment,
      except: request.excludedDevice,
      android: objectField(request.android, 'android'),
      androidRaw: objectField(request.androidRaw, 'android_raw'),
      web: objectField(request.web, 'web'), webRaw: objectField(request.webRaw, 'web_raw') };
  },
  resend(call, request, { app }) {
    const { outcomes = [] } = request;
    const key = keyOf(call, request);
    call.isRepeatable = call.hasKey;
    if (request.outcomes !== undefined && Array.isArray(outcomes) && outcomes.length === 0) {
      throw invalidArgument('outcomes', 'an empty list; leave it out for all that a second attempt can improve');
    }
    return { app, outcomes, key };
  },
  update_message(call, request, own) {
    call.isRepeatable = request.action !== 'resume' && request.action !== 3;
    return own;
  },
};

/** True if a time is given that is not 0, which means now. */
function hasTime(time) {
  return time instanceof Date ? time.getTime() > 0 : time !== undefined && time > 0;
}

/** The attributes as an object. `__proto__` is a key like others. */
function attributesOf(list) {
  const attributes = {};
  for (const { key, value } of list) {
    if (key === '__proto__') Object.defineProperty(attributes, key, { value, enumerable: true });
    else attributes[key] = value;
  }
  return attributes;
}

/** The answer to LOOKUP, with what it leaves out: no attributes, not muted. */
function deviceRecordOf(answer) {
  answer.attributes = answer.attributes === undefined ? {} : attributesOf(answer.attributes);
  answer.muted ??= false;
  return answer;
}

/**
 * By message: what the caller gets, of what was read.
 *
 * @type {Record<string, (answer: any) => any>}
 */
const ANSWERS = {
  register_batch: ({ results }) => ({ results: results.map(({ code, deviceId, result }) => (
    code === undefined ? { deviceId, result } : { code })) }),
  lookup: deviceRecordOf,
  message_status: (answer) => ({ received: 0, opened: 0, obstacles: [], ...answer }),
  messages: ({ next, messages, details = [] }) => ({ next, messages: messages.map((message, index) => {
    const { delivered, failed, label, sender } = details[index] ?? {};
    return { ...message, delivered, failed, label: label || undefined, sender: sender || undefined };
  }) }),
  trace: (answer) => ({ sources: [], mutedGroups: [], attempts: [], ...answer }),
  statistics: (answer) => ({
    apps: [], failures: [], outages: [], nodes: [], claims: [], devicesByProvider: [], ...answer,
  }),
  devices: ({ next, devices }) => ({ next,
    devices: devices.map((bytes) => deviceRecordOf(MESSAGES.lookup.answer.read(new Reader().attach(bytes)))) }),
};

/** The classes of requests that may be repeated after effect *unknown*, if no plan says otherwise. */
const REPEATABLE = new Set(['read', 'always', 'state']);

/**
 * A method of the client.
 *
 * @typedef {object} Method
 * @property {import('./codec/messages.js').Message} message
 * @property {Members} members
 * @property {Record<string, any>|undefined} defaults
 * @property {boolean} isReadOnly
 * @property {boolean} isRepeatable
 * @property {((call: any, request: any, own: {app?: string}) => Record<string, any>)} [plan]
 * @property {((answer: any) => any)} [adapt] what the caller gets, of what was read
 */

/** Methods whose names say more than those of their messages. */
const NAMES = { quarantine: 'quarantinedDevices', receipts: 'reportReceipts', update_group: 'setGroupMuted' };

/** @returns {Method} the method of a message */
function methodOf({ name, repeat, request }) {
  const keys = [...request.fixed, ...request.tags].map((field) => field.key)
    .filter((key) => !FIELDS_WITHOUT_MEMBER[name]?.includes(key));
  const defaults = OWN_DEFAULTS[name] ?? Object.fromEntries(Object.entries(COMMON_DEFAULTS).filter(([key]) => (
    request.fixed.some((field) => field.key === key))));
  return {
    message: MESSAGES[name], members: new Members([...keys, ...(MEMBERS_WITHOUT_FIELD[name] ?? [])]),
    defaults: Object.keys(defaults).length > 0 ? defaults : undefined,
    isReadOnly: repeat === 'read', isRepeatable: REPEATABLE.has(repeat), plan: PLANS[name], adapt: ANSWERS[name],
  };
}

/** @type {Record<string, Method>} */
export const METHODS = {
  ...Object.fromEntries(Object.values(MESSAGES).map((message) => (
    [NAMES[message.name] ?? message.method, methodOf(message)]))),
  // UPDATE_GROUP without `muted` changes nothing: it may be repeated like a read (RET-2).
  groupSize: { ...methodOf(MESSAGES.update_group), members: new Members(['app', 'group']), plan: undefined,
    isReadOnly: true },
};

/** The request with what it leaves out; INVALID_ARGUMENT for a member that is not known or has no value. */
function checked(method, request) {
  checkMembers(request, method.members);
  return method.defaults === undefined ? request : { ...method.defaults, ...request };
}

/**
 * Fills a call. INVALID_ARGUMENT if the argument cannot be sent.
 *
 * @param {Call} call
 * @param {Method} method
 * @param {Record<string, any>} request
 * @param {{app?: string}} own the app, if that is not a member of the request
 */
export function plan(call, method, request, own) {
  const members = checked(method, request);
  call.isReadOnly = method.isReadOnly;
  call.isRepeatable = method.isRepeatable;
  call.adapt = method.adapt;
  call.encode(members, method.plan === undefined ? own : method.plan(call, members, own));
}
