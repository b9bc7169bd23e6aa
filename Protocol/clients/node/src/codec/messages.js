/**
 * The messages of the protocol (§6 to §15): their opcodes, the class (CONTRACT.md, RET-2) and their fields with the
 * types of `types.js`. A test compares them with `layouts.json`.
 *
 * @module
 */
import { Layout } from './layout.js';
import { camelCase } from './types.js';

const ENVIRONMENT = { name: 'environment' };
const TOKEN_KIND = { name: 'token_kind' };
const PUSH_TYPE = { name: 'push_type' };
const LANE = { name: 'lane' };
const MESSAGE_STATE = { name: 'message_state' };
const OUTCOME = { name: 'outcome' };
const OBSTACLE = { name: 'obstacle' };
const EVENT_KIND = { name: 'event_kind', size: 2 };
const RECEIPT = { name: 'receipt' };
const REGISTERED = { name: 'registered' };
const STORAGE_POLICY = { name: 'storage_policy' };
const DEVICES = { list: 'device' };
const TOPICS = { list: 'topic' };
const TEXTS = { list: 'str' };
const INDICES = { list: 'u32' };
const IDS = { list: 'id' };
const OUTCOMES = { list: { struct: [['outcome', OUTCOME], ['devices', 'count']] } };
const ATTRIBUTES = { list: { struct: [['key', 'str'], ['value', 'str']] } };
const BODIES = { list: { struct: [['language', 'str'], ['payload', 'bytes']] } };

/** Requests by name: opcode, class, request, answer. */
const DESCRIPTIONS = {
  hello: {
    opcode: 0x0001, repeat: 'connection',
    request: { fixed: [['software', 'str'], ['receive_limit', 'u32']] },
    answer: {
      fixed: [
        ['software', 'str'], ['epoch', 'uuid'], ['clock', 'time'], ['frame_limit', 'u32'],
        ['in_flight_limit', 'u32'], ['batch_limit', 'u32'], ['keepalive_ms', 'u32'], ['ping_interval_ms', 'u32'],
        ['idempotency_window_s', 'u32'], ['authenticated', 'flag'],
        ['opcodes', { list: { struct: [['opcode', 'u16'], ['lowest', 'u8'], ['highest', 'u8']] } }],
      ],
      tags: [[20, 'node', 'str'], [22, 'cluster', 'uuid']],
    },
  },
  auth: {
    opcode: 0x0002, repeat: 'connection',
    request: { fixed: [['method', 'u8'], ['credential', 'bytes']] },
    answer: {
      fixed: [['principal', 'str'], ['grants', { list: { struct: [['app', 'str'], ['roles', { sum: 'roles' }]] } }]],
    },
  },
  register: {
    opcode: 0x0010, repeat: 'time',
    request: {
      fixed: [
        ['app', 'str'], ['environment', ENVIRONMENT], ['kind', TOKEN_KIND], ['token', 'token'], ['seen_at', 'time'],
      ],
      tags: [
        [17, 'replaces', 'token'], [18, 'locale', 'str'], [19, 'topics', TOPICS], [20, 'time_zone', 'str'],
        [21, 'groups', TEXTS], [23, 'attributes', ATTRIBUTES], [25, 'subscription', 'bytes'],
      ],
    },
    answer: { fixed: [['device_id', 'id'], ['result', REGISTERED]] },
  },
  register_batch: {
    opcode: 0x0011, repeat: 'time',
    request: { fixed: [['items', { list: 'bytes' }]] },
    answer: {
      fixed: [['results', { list: { struct: [['code', 'code'], ['device_id', 'id'], ['result', REGISTERED]] } }]],
    },
  },
  unregister: {
    opcode: 0x0012, repeat: 'time',
    request: { fixed: [['app', 'str'], ['device', 'device'], ['at', 'time']] },
    answer: { fixed: [['device_id', 'id'], ['result', { name: 'unregistered' }]] },
  },
  lookup: {
    opcode: 0x0013, repeat: 'read',
    request: { fixed: [['app', 'str'], ['device', 'device']] },
    answer: {
      fixed: [
        ['device_id', 'id'], ['environment', ENVIRONMENT], ['kind', TOKEN_KIND], ['token', 'token'],
        ['registered_at', 'time'], ['seen_at', 'time'], ['state', { name: 'device_state' }],
      ],
      tags: [[18, 'locale', 'str'], [20, 'time_zone', 'str'], [22, 'attributes', ATTRIBUTES], [24, 'muted', 'flag']],
    },
  },
  update_device: {
    opcode: 0x0014, repeat: 'state',
    request: {
      fixed: [['app', 'str'], ['device', 'device']],
      tags: [[18, 'locale', 'str'], [20, 'time_zone', 'str'], [23, 'attributes', ATTRIBUTES], [25, 'muted', 'flag']],
    },
    answer: { fixed: [['device_id', 'id']] },
  },
  memberships: {
    opcode: 0x0015, repeat: 'read',
    request: { fixed: [['app', 'str'], ['device', 'device'], ['after', 'str'], ['limit', 'u32']] },
    answer: {
      fixed: [
        ['device_id', 'id'], ['muted', { sum: 'memberships_muted' }],
        ['groups', { list: { struct: [['group', 'str'], ['muted', 'flag']] } }],
        ['topics', { list: { struct: [['topic', 'topic'], ['source', 'str']] } }], ['next', 'str'],
      ],
    },
  },
  restore: {
    opcode: 0x0016, repeat: 'state',
    request: { fixed: [['app', 'str'], ['device', 'device']] },
    answer: { fixed: [['device_id', 'id']] },
  },
  quarantine: {
    opcode: 0x0017, repeat: 'read',
    request: { fixed: [['app', 'str'], ['cursor', 'id'], ['limit', 'u32']] },
    answer: { fixed: [['next', 'id'], ['devices', IDS]] },
  },
  join: {
    opcode: 0x0020, repeat: 'state',
    request: {
      fixed: [['app', 'str'], ['group', 'str'], ['devices', DEVICES]],
      tags: [[17, 'announcement', 'bytes'], [19, 'bodies', BODIES]],
    },
    answer: { fixed: [['joined', 'u32'], ['message_id', 'id'], ['unknown', INDICES]] },
  },
  leave: {
    opcode: 0x0021, repeat: 'state',
    request: {
      fixed: [['app', 'str'], ['group', 'str'], ['devices', DEVICES]],
      tags: [[17, 'clear_topics', 'flag']],
    },
    answer: { fixed: [['left', 'u32'], ['unknown', INDICES]] },
  },
  switch: {
    opcode: 0x0022, repeat: 'state',
    request: {
      fixed: [['app', 'str'], ['device', 'device'], ['from', 'str'], ['to', 'str']],
      tags: [[17, 'announcement', 'bytes'], [19, 'bodies', BODIES]],
    },
    answer: { fixed: [['device_id', 'id'], ['changed', { sum: 'switch_changed' }], ['message_id', 'id']] },
  },
  group_devices: {
    opcode: 0x0023, repeat: 'read',
    request: { fixed: [['app', 'str'], ['group', 'str'], ['cursor', 'id'], ['limit', 'u32']] },
    answer: { fixed: [['next', 'id'], ['devices', IDS]] },
  },
  groups: {
    opcode: 0x0024, repeat: 'read',
    request: { fixed: [['app', 'str'], ['prefix', 'str'], ['after', 'str'], ['limit', 'u32']] },
    answer: {
      fixed: [
        ['next', 'str'],
        ['groups', { list: { struct: [['group', 'str'], ['devices', 'count'], ['muted', 'flag']] } }],
      ],
    },
  },
  update_group: {
    opcode: 0x0025, repeat: 'state',
    request: { fixed: [['app', 'str'], ['group', 'str']], tags: [[25, 'muted', 'flag']] },
    answer: { fixed: [['devices', 'count']] },
  },
  group_topics: {
    opcode: 0x0026, repeat: 'read',
    request: { fixed: [['app', 'str'], ['group', 'str'], ['after', 'str'], ['limit', 'u32']] },
    answer: { fixed: [['next', 'str'], ['topics', TOPICS]] },
  },
  subscribe: {
    opcode: 0x0030, repeat: 'state',
    request: { fixed: [['app', 'str'], ['topics', TOPICS], ['devices', DEVICES], ['groups', TEXTS]] },
    answer: { fixed: [['changed', 'u32'], ['unknown', INDICES]] },
  },
  unsubscribe: {
    opcode: 0x0031, repeat: 'state',
    request: { fixed: [['app', 'str'], ['topics', TOPICS], ['devices', DEVICES], ['groups', TEXTS]] },
    answer: { fixed: [['changed', 'u32'], ['unknown', INDICES]] },
  },
  topics: {
    opcode: 0x0032, repeat: 'read',
    request: { fixed: [['app', 'str'], ['prefix', 'str'], ['after', 'str'], ['limit', 'u32']] },
    answer: {
      fixed: [['next', 'str'], ['topics', { list: { struct: [['topic', 'topic'], ['devices', 'count']] } }]],
    },
  },
  topic_devices: {
    opcode: 0x0033, repeat: 'read',
    request: { fixed: [['app', 'str'], ['topic', 'topic'], ['cursor', 'id'], ['limit', 'u32']] },
    answer: { fixed: [['next', 'id'], ['devices', IDS]] },
  },
  explain: {
    opcode: 0x0040, repeat: 'read',
    request: { fixed: [['app', 'str'], ['condition', 'str']] },
    answer: {
      fixed: [
        ['condition', 'str'], ['devices', 'count'],
        ['sets', { list: { struct: [['set', 'str'], ['devices', 'count']] } }],
      ],
    },
  },
  send: {
    opcode: 0x0050, repeat: 'key',
    request: {
      fixed: [
        ['app', 'str'], ['key', 'uuid'], ['push_type', PUSH_TYPE], ['priority', 'u8'],
        ['audience', { name: 'audience' }], ['devices', DEVICES], ['payload', 'bytes'],
      ],
      tags: [
        [17, 'expiration', 'seconds'], [19, 'collapse_id', 'str'], [21, 'not_after', 'time'], [22, 'lane', LANE],
        [23, 'groups', TEXTS], [25, 'topic', 'topic'], [27, 'condition', 'str'], [29, 'bodies', BODIES],
        [31, 'except', 'device'], [33, 'dry_run', 'flag'], [35, 'send_at', 'time'], [37, 'pace', 'u32'],
        [39, 'over_budget', { name: 'over_budget' }], [41, 'id_key', 'str'], [43, 'label', 'str'],
        [45, 'android', 'bytes'], [47, 'android_raw', 'bytes'], [49, 'web', 'bytes'],
        [51, 'web_raw', 'bytes'],
        [61, 'channel', 'str'], [63, 'environment', ENVIRONMENT], [66, 'traceparent', 'str'],
      ],
    },
    answer: { fixed: [['message_id', 'id'], ['duplicate', 'flag'], ['total', 'u32'], ['ended', 'u32']] },
  },
  message_status: {
    opcode: 0x0051, repeat: 'read',
    request: { fixed: [['app', 'str'], ['message_id', 'id']] },
    answer: {
      fixed: [
        ['state', MESSAGE_STATE], ['accepted_at', 'time'], ['finished_at', 'time'], ['total', 'count'],
        ['outcomes', OUTCOMES],
      ],
      tags: [
        [16, 'send_at', 'time'], [18, 'pace', 'u32'], [20, 'rate', 'u32'], [22, 'remaining_ms', 'count'],
        [24, 'received', 'count'], [26, 'opened', 'count'], [28, 'audience', 'str'], [30, 'label', 'str'],
        [32, 'sender', 'str'],
        [34, 'obstacles', { list: { struct: [
          ['kind', OBSTACLE], ['credential', 'str'], ['environment', ENVIRONMENT], ['began_at', 'time'],
          ['next_attempt_at', 'time'], ['cause', 'str'], ['reason', 'str'],
        ] } }],
        [66, 'traceparent', 'str'],
      ],
    },
  },
  message_outcomes: {
    opcode: 0x0052, repeat: 'read',
    request: { fixed: [['app', 'str'], ['message_id', 'id'], ['cursor', 'id'], ['limit', 'u32']] },
    answer: {
      fixed: [['next', 'id'], ['recipients', { list: { struct: [['device_id', 'id'], ['outcome', OUTCOME]] } }]],
    },
  },
  messages: {
    opcode: 0x0053, repeat: 'read',
    request: {
      fixed: [['app', 'str'], ['before', 'id'], ['limit', 'u32']],
      tags: [[17, 'state', MESSAGE_STATE], [19, 'sender', 'str'], [21, 'label', 'str']],
    },
    answer: {
      fixed: [
        ['next', 'id'],
        ['messages', { list: { struct: [
          ['message_id', 'id'], ['state', MESSAGE_STATE], ['accepted_at', 'time'], ['push_type', PUSH_TYPE],
          ['lane', LANE], ['total', 'count'], ['ended', 'count'],
        ] } }],
      ],
      tags: [
        [16, 'details', { list: { struct: [
          ['delivered', 'count'], ['failed', 'count'], ['label', 'str'], ['sender', 'str'],
        ] } }],
      ],
    },
  },
  update_message: {
    opcode: 0x0054, repeat: 'state',
    request: {
      fixed: [['app', 'str'], ['message_id', 'id'], ['action', { name: 'action' }]],
      tags: [[37, 'pace', 'u32']],
    },
    answer: { fixed: [['state', MESSAGE_STATE]] },
  },
  resend: {
    opcode: 0x0055, repeat: 'key',
    request: {
      fixed: [['app', 'str'], ['message_id', 'id'], ['key', 'uuid'], ['outcomes', { list: OUTCOME }]],
      tags: [[21, 'not_after', 'time']],
    },
    answer: { fixed: [['message_id', 'id'], ['duplicate', 'flag'], ['total', 'u32'], ['ended', 'u32']] },
  },
  trace: {
    opcode: 0x0056, repeat: 'read',
    request: { fixed: [['app', 'str'], ['message_id', 'id'], ['device', 'device']] },
    answer: {
      fixed: [
        ['device_id', 'id'], ['state', MESSAGE_STATE], ['addressing', { name: 'addressing' }], ['outcome', OUTCOME],
        ['flags', { sum: 'trace_flags' }],
      ],
      tags: [
        [16, 'sources', { list: { struct: [['kind', { name: 'source' }], ['name', 'str'], ['through', 'str']] } }],
        [18, 'muted_groups', TEXTS], [20, 'language', 'str'], [22, 'silent_budget_left', 'u32'],
        [24, 'attempts', { list: { struct: [
          ['at', 'time'], ['connection', 'u32'], ['status', 'u16'], ['reason', 'str'],
        ] } }],
        [26, 'next_attempt_at', 'time'], [30, 'unique_ids', TEXTS],
      ],
    },
  },
  subscribe_events: {
    opcode: 0x0060, repeat: 'connection',
    request: {
      fixed: [['name', 'str'], ['from', 'id'], ['apps', TEXTS], ['kinds', { list: EVENT_KIND }], ['credit', 'id']],
    },
    answer: { fixed: [['after', 'id']] },
  },
  event_credit: {
    opcode: 0x0061, repeat: 'connection',
    request: { fixed: [['subscription', 'id'], ['credit', 'id'], ['ack', 'id']] },
    answer: { fixed: [] },
  },
  unsubscribe_events: {
    opcode: 0x0062, repeat: 'connection',
    request: { fixed: [['subscription', 'id']] },
    answer: { fixed: [] },
  },
  forget_subscriber: {
    opcode: 0x0063, repeat: 'always',
    request: { fixed: [['name', 'str']] },
    answer: { fixed: [['result', { name: 'forgotten' }]] },
  },
  receipts: {
    opcode: 0x0070, repeat: 'always',
    request: {
      fixed: [
        ['app', 'str'],
        ['receipts', { list: { struct: [['message_id', 'id'], ['device', 'device'], ['kind', RECEIPT]] } }],
      ],
    },
    answer: { fixed: [['counted', 'u32'], ['unknown', INDICES]] },
  },
  receipt_devices: {
    opcode: 0x0071, repeat: 'read',
    request: { fixed: [['app', 'str'], ['message_id', 'id'], ['kind', RECEIPT], ['cursor', 'id'], ['limit', 'u32']] },
    answer: { fixed: [['next', 'id'], ['devices', IDS]] },
  },
  statistics: {
    opcode: 0x0080, repeat: 'read',
    request: { fixed: [['limit', 'u32']] },
    answer: {
      fixed: [
        ['at', 'time'], ['started_at', 'time'], ['software', 'str'], ['clients', 'u32'], ['half_open', 'u32'],
        ['requests', { list: { struct: [
          ['opcode', 'u16'], ['code', 'code'], ['count', 'count'], ['micros', 'count'],
        ] } }],
        ['queued_changes', 'u32'], ['batches', 'count'], ['changes', 'count'], ['batch_micros', 'count'],
        ['latest_batches', INDICES],
        ['lanes', { list: { struct: [
          ['lane', LANE], ['messages', 'u32'], ['waiting', 'u32'], ['delayed', 'u32'], ['in_flight', 'u32'],
        ] } }],
        ['unrecorded', 'u32'],
        ['sending', { list: { struct: [
          ['message_id', 'id'], ['app', 'str'], ['lane', LANE], ['accepted_at', 'time'], ['total', 'count'],
          ['ended', 'count'], ['in_flight', 'u32'], ['rate', 'u32'],
        ] } }],
        ['outcomes', OUTCOMES],
        ['pools', { list: { struct: [
          ['credential', 'str'], ['environment', ENVIRONMENT], ['parked', 'flag'], ['opening', 'u32'],
          ['open', 'u32'], ['draining', 'u32'], ['in_flight', 'u32'], ['streams', 'u32'], ['throttle', 'u32'],
          ['attempts', 'count'],
        ] } }],
        ['answers', { list: { struct: [['pool', 'u32'], ['status', 'u16'], ['reason', 'str'], ['count', 'count']] } }],
      ],
      tags: [
        [16, 'database_bytes', 'count'], [18, 'free_bytes', 'count'], [20, 'map_bytes', 'count'],
        [22, 'limit_bytes', 'count'], [24, 'readers', 'u32'], [26, 'reader_age_commits', 'count'],
        [28, 'kept', 'count'], [30, 'unfinished', 'count'], [32, 'scheduled', 'count'], [34, 'counted_at', 'time'],
        [36, 'apps', { list: { struct: [
          ['app', 'str'], ['devices', 'count'], ['quarantined', 'count'], ['groups', 'count'], ['topics', 'count'],
        ] } }],
        [38, 'failures', { list: { struct: [
          ['pool', 'u32'], ['unreachable', 'flag'], ['count', 'count'], ['last_at', 'time'], ['reason', 'str'],
        ] } }],
        [40, 'outages', { list: { struct: [
          ['pool', 'u32'], ['began_at', 'time'], ['next_attempt_at', 'time'], ['cause', 'str'],
        ] } }],
        [44, 'nodes', { list: { struct: [
          ['node', 'str'], ['incarnation', 'count'], ['over', 'flag'], ['position', 'id'], ['hash', 'uuid'],
          ['silent_ms', 'u32'], ['lease_ms', 'u32'], ['format', 'u16'], ['version', 'str'], ['address', 'str'],
        ] } }],
        [46, 'log_position', 'id'], [48, 'log_entries', 'id'], [50, 'snapshot_position', 'id'],
        [52, 'claims', { list: { struct: [['messages', 'u32'], ['blocks', 'u32'], ['pages', 'count']] } }],
        [54, 'devices_by_provider', { list: { struct: [['apns', 'count'], ['fcm', 'count'], ['web', 'count']] } }],
      ],
    },
  },
  devices: {
    opcode: 0x0081, repeat: 'read',
    request: { fixed: [['app', 'str'], ['cursor', 'id'], ['limit', 'u32']] },
    answer: { fixed: [['next', 'id'], ['devices', { list: 'bytes' }]] },
  },
  remove_node: {
    opcode: 0x0082, repeat: 'never',
    request: { fixed: [['node', 'str']] },
    answer: { fixed: [['incarnation', 'count']] },
  },
  create_channel: {
    opcode: 0x0090, repeat: 'never',
    request: { fixed: [['app', 'str'], ['environment', ENVIRONMENT], ['storage_policy', STORAGE_POLICY]] },
    answer: { fixed: [['channel', 'str']] },
  },
  channel: {
    opcode: 0x0091, repeat: 'read',
    request: { fixed: [['app', 'str'], ['environment', ENVIRONMENT], ['channel', 'str']] },
    answer: { fixed: [['storage_policy', STORAGE_POLICY]] },
  },
  channels: {
    opcode: 0x0092, repeat: 'read',
    request: { fixed: [['app', 'str'], ['environment', ENVIRONMENT], ['after', 'str'], ['limit', 'u32']] },
    answer: { fixed: [['next', 'str'], ['channels', TEXTS]] },
  },
  delete_channel: {
    opcode: 0x0093, repeat: 'always',
    request: { fixed: [['app', 'str'], ['environment', ENVIRONMENT], ['channel', 'str']] },
    answer: { fixed: [['result', { name: 'channel_deleted' }]] },
  },
};

/** Tags of every request (§16.2). No layout has them: `call.js` writes the deadline into the frame. */
export const COMMON_TAGS = [[2, 'deadline_ms', 'u32']];

/** An event (§11.2). */
export const EVENT = new Layout({
  fixed: [['sequence', 'id'], ['at', 'time'], ['kind', EVENT_KIND]],
  tags: [
    [16, 'app', 'str'], [18, 'message_id', 'id'], [20, 'device_id', 'id'], [22, 'outcome', OUTCOME],
    [24, 'count', 'count'], [26, 'text', 'str'], [28, 'missed_from', 'id'], [30, 'missed_to', 'id'],
    [66, 'traceparent', 'str'],
  ],
});

/** GOAWAY (§6.4). */
export const GOAWAY = new Layout({
  fixed: [['last_id', 'id'], ['code', 'u16'], ['grace_ms', 'u32'], ['reconnect_after_ms', 'u32'], ['reason', 'str']],
});

/** An error (§15). */
export const ERROR = new Layout({
  fixed: [['code', 'u16'], ['scope', 'u8'], ['effect', 'u8'], ['retry_after_ms', 'u32'], ['message', 'str']],
  tags: [[2, 'field', 'str'], [4, 'limit', 'count'], [6, 'item', 'u32'], [8, 'column', 'u32'], [10, 'reason', 'str']],
});

/** PING (§6.3). */
export const PING = new Layout({ fixed: [['data', 'data8']], untagged: true });

/** POSITION (§6.5). */
export const POSITION = new Layout({ fixed: [['position', 'id']], untagged: true });

/** Opcodes of what is not a request. */
export const PING_OPCODE = 0x0003;
export const GOAWAY_OPCODE = 0x0004;
export const POSITION_OPCODE = 0x0005;
export const EVENT_OPCODE = 0x0060;

/**
 * A request and its answer.
 *
 * @typedef {object} Message
 * @property {string} name
 * @property {string} method the name in JavaScript
 * @property {number} opcode
 * @property {string} repeat class of RET-2
 * @property {Layout} request
 * @property {Layout} answer
 */

/** @type {Record<string, Message>} */
export const MESSAGES = Object.freeze(Object.fromEntries(Object.entries(DESCRIPTIONS).map(([name, message]) => [name, {
  name, method: camelCase(name), opcode: message.opcode, repeat: message.repeat,
  request: new Layout(message.request), answer: new Layout(message.answer),
}])));

/** @type {Map<number, Message>} */
export const BY_OPCODE = new Map(Object.values(MESSAGES).map((message) => [message.opcode, message]));
