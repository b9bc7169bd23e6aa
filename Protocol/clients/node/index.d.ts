/**
 * The client of Carillon for Node.js 18 and later. It knows version 1.5 of the protocol and works with every server
 * of version 1.
 *
 * Ids, cursors and sequences are `bigint`; counts, limits and durations (milliseconds) are `number`; times are `Date`.
 * A name of an enumeration that this version does not know is its number. A member that is given without a value
 * (`undefined`, `null`, `NaN`) is an error: leave it out.
 */

// Names of the protocol

/** A code of an error: of §9 of the protocol, of this client, or `UNKNOWN_` and the number of a later version. */
export type ErrorCode =
  | 'MALFORMED' | 'FRAME_TOO_LARGE' | 'UNSUPPORTED_VERSION' | 'UNSUPPORTED_OPCODE' | 'UNSUPPORTED_FIELD' | 'WRONG_PHASE'
  | 'BAD_REQUEST_ID' | 'AUTHENTICATION_FAILED' | 'FORBIDDEN' | 'NOT_FOUND' | 'INVALID_ARGUMENT' | 'STALE'
  | 'IDEMPOTENCY_CONFLICT' | 'TOO_LARGE' | 'RATE_LIMITED' | 'OVERLOADED' | 'STORAGE_FULL' | 'STORAGE_FAILED'
  | 'DEADLINE' | 'DRAINING' | 'TOO_MANY_PINGS' | 'TOO_MANY_ERRORS' | 'TIMEOUT' | 'INTERNAL' | 'TOO_MANY_CONNECTIONS'
  | 'APNS_REFUSED' | 'APNS_UNAVAILABLE'
  | 'CANNOT_CONNECT' | 'CONNECTION_LOST' | 'NO_ANSWER' | 'CANCELLED' | 'CLOSED' | 'UNTRUSTED' | `UNKNOWN_${number}`;
/** What a call has changed: nothing, perhaps something, or what it was to change. */
export type Effect = 'not_executed' | 'unknown' | 'executed';
export type Environment = 'production' | 'sandbox';
/** What APNs stores of the messages of a broadcast channel; `most-recent` for 8 hours at most. */
export type StoragePolicy = 'none' | 'most-recent';
export type TokenKind =
  | 'device' | 'voip' | 'liveactivity' | 'widget' | 'control' | 'pushtotalk' | 'fileprovider' | 'location'
  | 'complication' | 'mdm' | 'fcm' | 'fid' | 'web';
export type PushType =
  | 'alert' | 'background' | 'location' | 'voip' | 'complication' | 'fileprovider' | 'mdm' | 'liveactivity'
  | 'pushtotalk' | 'widgets' | 'controls';
/** `interactive`: one user waits; `bulk`: a message to many. */
export type Lane = 'interactive' | 'bulk';
export type DeviceState = 'active' | 'quarantined';
export type ObstacleKind = 'unreachable' | 'credential-refused';
export type MessageState = 'waiting' | 'sending' | 'finished' | 'scheduled' | 'paused';
export type MessageUpdateAction = 'cancel' | 'pause' | 'resume' | 'pace';
export type ReceiptKind = 'received' | 'opened';
export type Role = 'register' | 'send' | 'observe' | 'admin';
/** How the delivery to a device has ended (§10.5); `pending`: not yet. */
export type Outcome =
  | 'pending' | 'delivered' | 'unregistered' | 'expired' | 'gave-up' | 'wrong-kind' | 'no-credential' | 'quarantined'
  | 'muted' | 'no-language' | 'cancelled' | 'over-budget' | 'left' | 'token-unregistered' | 'token-expired'
  | 'bad-token' | 'token-not-for-topic' | 'payload-too-large' | 'topic-disallowed' | 'bad-topic' | 'bad-request'
  | 'forbidden' | 'refused';
export type EventKind =
  | 'message-finished' | 'delivery-failed' | 'device-quarantined' | 'token-replaced' | 'device-moved'
  | 'message-steered' | 'connection-up' | 'connection-down' | 'credential-refused' | 'bad-tokens-began'
  | 'bad-tokens-ended' | 'pool-unreachable' | 'pool-reachable';

// Values

/** A moment: a Date, or milliseconds since 1970. */
export type Time = Date | number;
/** A device token: raw bytes, or their hexadecimal digits. */
export type Token = Uint8Array | string;
/** A device by its id, or by its token; without more that of production and of kind `device`. */
export type Device =
  | { readonly id: bigint }
  | { readonly token: Token; readonly environment?: Environment; readonly kind?: TokenKind };
/** A UUID, with or without hyphens. */
export type Uuid = string;
/** A JSON value; a bigint is a whole number of up to 64 bits. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [name: string]: Json };
/** A payload as it is sent: bytes or text as they are, or an object that is written as `Payloads.md` §4 says. */
export type RawPayload = Uint8Array | string | { readonly [name: string]: Json };
/** What AbortSignal has; so no other types are needed. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** For `notAfter` of `resend`: no limit of time, whatever the old message had. */
export declare const NO_LIMIT: 18446744073709551615n;
/** The version of this client. */
export declare const VERSION: string;

// Errors

/** Why a call failed. Nothing else is thrown by a call. */
export declare class CarillonError extends Error {
  private constructor();
  readonly name: 'CarillonError';
  readonly code: ErrorCode;
  /** The number of the code; 0 for the client's own codes without one. */
  readonly number: number;
  /** The effect of the call, over all its attempts. */
  readonly effect: Effect;
  readonly scope: 'request' | 'connection';
  /** Milliseconds to wait before the same call; absent: it will fail again. */
  readonly retryAfter: number | undefined;
  /** The field at fault as the protocol writes it: `message_id` for `messageId`. */
  readonly field: string | undefined;
  /** The index of the item of `field` that is at fault. */
  readonly item: number | undefined;
  /** The limit that was exceeded. */
  readonly limit: number | undefined;
  /** Where the fault of a condition is, in bytes; the first is 1. */
  readonly column: number | undefined;
  /** The reason that APNs gave to a request about broadcast channels, or the server's word for an end without one. */
  readonly reason: string | undefined;
  /** The idempotency key of a `send` or `resend`: give it to repeat the call safely. */
  readonly key: Uuid | undefined;
  /** How many requests were written. */
  readonly attempts: number;
  /** With CANNOT_CONNECT: for each address that was tried, the address and why it failed. */
  readonly causes: readonly string[];
  /** What has caused the error; of CANCELLED the reason of the signal. */
  readonly cause?: unknown;
  /** Nothing was changed. */
  get isNotExecuted(): boolean;
  /** The same arguments, with `key` where there is one, may be sent again without harm. */
  get isSafeToRetry(): boolean;
  /** The same call can succeed later. */
  get isTransient(): boolean;
}

// Options

/** Options of a call. */
export interface CallOptions {
  /** Milliseconds for the whole call, with connecting and all attempts. Absent: the option `requestTimeout`. */
  readonly timeout?: number;
  /** Cancels the call: it fails with CANCELLED. */
  readonly signal?: CancelSignal;
  /** False: the client makes one attempt and does not repeat the request by itself. */
  readonly retry?: boolean;
}
/** A key, or a function that gives it at each connection. */
export type ApiKey = string | Uint8Array | (() => OptionalKey | Promise<OptionalKey>);
type OptionalKey = string | Uint8Array | undefined;
/** Options of a client. Durations are milliseconds. An option that does not exist is an error. */
export interface ClientOptions {
  /** 1 to 32 of `host:port`, `[v6]:port` and `unix:path`; as one text they are separated by commas. */
  readonly addresses: string | readonly string[];
  /** `listed` (default), or `shuffled` once when the client is made. */
  readonly addressOrder?: 'listed' | 'shuffled';
  /** 1 to 256 bytes. Not together with `apiKeyFile`. */
  readonly apiKey?: ApiKey;
  /** A file that is read at each connection. */
  readonly apiKeyFile?: string;
  /** The app of `client.app()`. */
  readonly app?: string;
  /** `auto` (default): plaintext on loopback if nothing of TLS is configured, else TLS. */
  readonly security?: 'auto' | 'tls' | 'plaintext' | 'plaintext_anywhere';
  /** The authorities, PEM; absent: those of Node.js. */
  readonly ca?: string | Uint8Array;
  readonly caFile?: string;
  /** A client certificate, PEM, with its key. The files are read at each connection. */
  readonly certificateFile?: string;
  readonly certificateKeyFile?: string;
  /** The name that the server's certificate must have; absent: the host. */
  readonly serverName?: string;
  /** A name for the server's log, behind that of this client. */
  readonly software?: string;
  /** For a call; 10,000. */
  readonly requestTimeout?: number;
  /** For an attempt to open a connection; 5,000. */
  readonly connectTimeout?: number;
  /** How long a request waits in silence before the client asks whether the server lives; 3,000. */
  readonly probeAfter?: number;
  /** For the answer to that; 5,000. */
  readonly pingTimeout?: number;
  /** The first pause before a repetition; 100. Pauses double up to `backoffLimit`, 5,000. */
  readonly backoff?: number;
  readonly backoffLimit?: number;
  /** How long an address is not tried that refuses the client; 60,000. */
  readonly refusalPause?: number;
  /** How long `close` waits for calls; 5,000. */
  readonly drainTimeout?: number;
  /** Attempts of a call; 6. */
  readonly tries?: number;
  /** Requests without an answer; 1,024, or what the server allows. */
  readonly inFlight?: number;
  /** Calls that wait for a connection or for room; 10,000. One more fails with OVERLOADED. */
  readonly waitingLimit?: number;
  /** Bytes of the requests of all calls; 64 MiB. */
  readonly memoryLimit?: number;
  /** The longest answer that the client accepts, in bytes; 1 MiB, at least 4,096. */
  readonly receiveLimit?: number;
  /** True: `Client.connect` does not wait for a connection. */
  readonly lazy?: boolean;
  /** Called once at the end of each call. */
  readonly onCall?: (call: CallReport) => void;
  /** Called before each repetition. */
  readonly onRetry?: (retry: RetryReport) => void;
  /** Called when a connection changes. */
  readonly onState?: (state: StateReport) => void;
}
export interface CallReport {
  readonly operation: string;
  /** The address of the last attempt; absent if there was none. */
  readonly address: string | undefined;
  /** Milliseconds. */
  readonly duration: number;
  readonly attempts: number;
  /** Absent if the call succeeded. */
  readonly code: ErrorCode | undefined;
  readonly effect: Effect;
}
export interface RetryReport {
  readonly operation: string;
  /** Attempts so far. */
  readonly attempt: number;
  /** Milliseconds. */
  readonly pause: number;
  readonly error: CarillonError;
}
export type StateReport =
  | { readonly state: 'connecting'; readonly address: string }
  | { readonly state: 'connected'; readonly address: string; readonly software: string; readonly epoch: Uuid }
  | { readonly state: 'failed' | 'disconnected' | 'refused'; readonly address: string; readonly error: CarillonError }
  | { readonly state: 'draining'; readonly address: string; readonly reason: string }
  | { readonly state: 'newHistory'; readonly address: string; readonly epoch: Uuid; readonly previousEpoch: Uuid }
  | { readonly state: 'closed' };

/**
 * Options from the environment variables CARILLON_SERVER, CARILLON_API_KEY_FILE, CARILLON_API_KEY, CARILLON_APP,
 * CARILLON_CA_FILE, CARILLON_CERTIFICATE_FILE, CARILLON_CERTIFICATE_KEY_FILE and CARILLON_SECURITY. The options given
 * come first.
 */
export declare function fromEnvironment(options?: Partial<ClientOptions>,
  environment?: { readonly [name: string]: string | undefined }): ClientOptions;

// Payloads

/** A text, or a key of the app's own tables with arguments. */
export type LocalizedText = string | { readonly locKey: string; readonly locArgs?: readonly string[] };
/** The fields of a notification that a translation can replace. */
export interface Translation {
  readonly title?: LocalizedText;
  readonly subtitle?: LocalizedText;
  readonly body?: LocalizedText;
  readonly launchImage?: string;
}
/** Fields of a Live Activity. Times are Dates or whole seconds since 1970. */
export interface LiveActivityFields {
  readonly timestamp: Date | number;
  readonly event: 'start' | 'update' | 'end';
  readonly contentState?: { readonly [name: string]: Json };
  readonly staleDate?: Date | number;
  readonly dismissalDate?: Date | number;
  readonly attributesType?: string;
  readonly attributes?: { readonly [name: string]: Json };
  readonly inputPushChannel?: string;
  readonly inputPushToken?: boolean;
}
/** Fields of a notification. One that is not set is not in the payload. */
export interface NotificationFields extends Translation {
  readonly badge?: number;
  /** A file name, or a critical sound; `volume` is 0 to 1. */
  readonly sound?: string | { readonly name: string; readonly volume?: number };
  readonly threadId?: string;
  readonly category?: string;
  readonly contentAvailable?: boolean;
  readonly mutableContent?: boolean;
  readonly interruptionLevel?: 'passive' | 'active' | 'time-sensitive' | 'critical';
  readonly relevanceScore?: number;
  readonly targetContentId?: string;
  readonly filterCriteria?: string;
  readonly contentChanged?: boolean;
  readonly urlArgs?: readonly string[];
  readonly liveActivity?: LiveActivityFields;
  readonly mdm?: string;
  /** Members beside `aps`. */
  readonly data?: { readonly [name: string]: Json };
}
/** The content of a push, in the fields of APNs. It is checked as the server does, before anything is written. */
export declare class Notification {
  constructor(fields: NotificationFields);
  /** The JSON for a push type; `alert` if absent. INVALID_ARGUMENT with the path of the first fault. */
  payload(pushType?: PushType): Uint8Array;
  /** The default payload and those of the languages. `defaultBody` false: no default payload. */
  localized(translations: { readonly [language: string]: Translation },
    options?: { readonly pushType?: PushType; readonly defaultBody?: boolean }): {
      payload: Uint8Array | undefined;
      bodies: { language: string; payload: Uint8Array }[];
    };
}

// Audiences

declare const everybody: unique symbol;
/** Every device of the app. Only `Audience.allDevices()` makes it. */
export interface AllDevices { readonly [everybody]: true }
/** The devices that a message is for: exactly one of these. */
export type AudienceOf =
  | { readonly devices: readonly Device[]; readonly groups?: never; readonly topic?: never; readonly condition?: never }
  | { readonly groups: readonly string[]; readonly devices?: never; readonly topic?: never; readonly condition?: never }
  | { readonly topic: string; readonly devices?: never; readonly groups?: never; readonly condition?: never }
  | { readonly condition: string; readonly devices?: never; readonly groups?: never; readonly topic?: never }
  | AllDevices;
export declare const Audience: {
  devices(devices: readonly Device[]): AudienceOf;
  /** Every device of any of the groups, once. */
  groups(groups: readonly string[]): AudienceOf;
  topic(topic: string): AudienceOf;
  /** `Conditions.md` has the grammar. */
  condition(condition: string): AudienceOf;
  /** Every device of the app. There is no other way to say this. */
  allDevices(): AudienceOf;
};

// Requests and answers. In objects of `client.app(…)` requests have no `app`.

export interface Registration {
  readonly app: string;
  /** `production` if absent. */
  readonly environment?: Environment;
  /** `device` if absent. */
  readonly kind?: TokenKind;
  readonly token: Token;
  /** When the app saw the token. Absent: now, by the server's clock; the client then never repeats the request. */
  readonly seenAt?: Time;
  /** The old token that this one replaces. */
  readonly replaces?: Token;
  /** A language tag; empty = forget it. */
  readonly locale?: string;
  /** A name of the IANA database; empty = forget it. */
  readonly timeZone?: string;
  readonly topics?: readonly string[];
  readonly groups?: readonly string[];
  /** An empty value removes the key. */
  readonly attributes?: { readonly [key: string]: string };
}
export interface Registered { deviceId: bigint; result: 'created' | 'refreshed' | 'replaced' | number }
/** One item of a batch: what was done, or why not. */
export type BatchResult =
  | { deviceId: bigint; result: 'created' | 'refreshed' | 'replaced' | number; code?: undefined }
  | { code: ErrorCode; deviceId?: undefined; result?: undefined };
export interface DeviceRecord {
  deviceId: bigint;
  environment: Environment | number;
  kind: TokenKind | number;
  token: Uint8Array;
  registeredAt: Date;
  seenAt: Date;
  state: DeviceState | number;
  locale?: string;
  timeZone?: string;
  attributes: { [key: string]: string };
  /** The device itself is muted. */
  muted: boolean;
}
/** Payloads by language. With a Notification they are translations of it. */
export type Content =
  | { readonly payload: Notification; readonly bodies?: { readonly [language: string]: Translation };
      /** False: devices without a fitting language get no push. */
      readonly defaultBody?: boolean }
  | { readonly payload: RawPayload; readonly bodies?: { readonly [language: string]: RawPayload } }
  | { readonly payload?: never; readonly bodies: { readonly [language: string]: RawPayload } };
/** An announcement to the other devices of a group. */
export type Announcement =
  | { readonly announcement?: never; readonly bodies?: never }
  | { readonly announcement: Notification; readonly bodies?: { readonly [language: string]: Translation };
      readonly defaultBody?: boolean }
  | { readonly announcement?: RawPayload; readonly bodies?: { readonly [language: string]: RawPayload } };
/** The key of a message: absent, the client makes one; `noKey`: none, and no repetition. */
export type Key = { readonly key?: Uuid; readonly noKey?: never } | { readonly key?: never; readonly noKey: true };
export interface SendOptions {
  readonly app: string;
  readonly audience: AudienceOf;
  /** `alert` if absent. */
  readonly pushType?: PushType;
  /** Absent: the usual one of the push type. */
  readonly priority?: 10 | 5 | 1;
  /** APNs stores the push until then; 0: it tries once. */
  readonly expiration?: Time;
  readonly collapseId?: string;
  /** No attempt starts after it. */
  readonly notAfter?: Time;
  /** `interactive` if absent. */
  readonly lane?: Lane;
  /** Left out of the audience. */
  readonly except?: Device;
  /** Everything is checked and counted, nothing is sent. */
  readonly dryRun?: boolean;
  readonly sendAt?: Time;
  /** Deliveries a second at most. */
  readonly pace?: number;
  /** Of silent pushes; `drop` if absent. */
  readonly overBudget?: 'drop' | 'wait';
  /** Each payload contains the message's id under this key. */
  readonly idKey?: string;
  readonly label?: string;
  /** Members of FCM's `message.android`, which override what is made of the payload (§8.1). */
  readonly android?: RawPayload;
  /** FCM's `message` without its target, instead of what is made of the payload. */
  readonly androidRaw?: RawPayload;
}
export type SendRequest = SendOptions & Content & Key;
export type ResendRequest = {
  readonly app: string;
  readonly messageId: bigint;
  /** Absent: every outcome that a second attempt can improve. */
  readonly outcomes?: readonly Outcome[];
  readonly notAfter?: Time | typeof NO_LIMIT;
} & Key;
export interface SendAnswer {
  /** 0 for a dry run. */
  messageId: bigint;
  /** A message with this key was accepted before; this is its answer. */
  duplicate: boolean;
  /** Devices addressed. */
  total: number;
  /** Of these, how many had an outcome at once. */
  ended: number;
}
export interface OutcomeCount { outcome: Outcome | number; devices: number }
export interface MessageStatus {
  state: MessageState | number;
  acceptedAt: Date;
  finishedAt: Date | undefined;
  total: number;
  outcomes: OutcomeCount[];
  sendAt?: Date;
  pace?: number;
  /** Devices that ended in the last second. */
  rate?: number;
  remainingMs?: number;
  received: number;
  opened: number;
  /** The audience as a condition. */
  audience?: string;
  label?: string;
  sender?: string;
  /** Why devices wait. */
  obstacles: Obstacle[];
}
/** A pool that cannot be used now. `cause` is a word for programs, `reason` a text for people; both may be empty. */
export interface Obstacle {
  kind: ObstacleKind | number;
  credential: string;
  environment: Environment | number;
  beganAt: Date | undefined;
  nextAttemptAt: Date | undefined;
  cause: string;
  reason: string;
}
export interface MessageRow {
  messageId: bigint;
  state: MessageState | number;
  acceptedAt: Date;
  pushType: PushType | number;
  lane: Lane | number;
  total: number;
  ended: number;
  delivered: number | undefined;
  failed: number | undefined;
  label: string | undefined;
  sender: string | undefined;
}
export interface Trace {
  deviceId: bigint;
  state: MessageState | number;
  addressing: 'recipient' | 'no recipient' | 'would be a recipient' | 'would be no recipient' | number;
  outcome: Outcome | number;
  flags: ('quarantined' | 'muted' | 'has a body' | number)[];
  sources: { kind: 'device' | 'group' | 'topic' | 'term' | 'all' | number; name: string; through: string }[];
  mutedGroups: string[];
  language?: string;
  silentBudgetLeft?: number;
  attempts: { at: Date; connection: number; status: number; reason: string }[];
  nextAttemptAt?: Date;
}
export interface Statistics {
  at: Date;
  startedAt: Date;
  software: string;
  clients: number;
  handshakes: number;
  requests: { opcode: number; code: ErrorCode | undefined; count: number; micros: number }[];
  queuedChanges: number;
  commits: number;
  changes: number;
  commitMicros: number;
  latestCommits: number[];
  lanes: { lane: Lane | number; messages: number; waiting: number; delayed: number; inFlight: number }[];
  unrecorded: number;
  sending: { messageId: bigint; app: string; lane: Lane | number; acceptedAt: Date; total: number; ended: number;
    inFlight: number; rate: number }[];
  outcomes: OutcomeCount[];
  pools: { credential: string; environment: Environment | number; stopped: boolean; opening: number; open: number;
    draining: number; inFlight: number; streams: number; throttle: number; attempts: number }[];
  answers: { pool: number; status: number; reason: string; count: number }[];
  databaseBytes?: number;
  freeBytes?: number;
  mapBytes?: number;
  limitBytes?: number;
  readers?: number;
  readerAge?: number;
  kept?: number;
  unfinished?: number;
  scheduled?: number;
  countedAt?: Date;
  apps: { app: string; devices: number; quarantined: number; groups: number; topics: number }[];
  failures: { pool: number; unreachable: boolean; count: number; lastAt: Date | undefined; reason: string }[];
  outages: { pool: number; beganAt: Date | undefined; nextAttemptAt: Date | undefined; cause: string }[];
}
/** A page of ids; `next` 0n: this was the last. */
export interface DevicePage { next: bigint; devices: bigint[] }
interface ByCursor { readonly cursor?: bigint; /** 1,000 if absent. */ readonly limit?: number }
interface ByName { readonly after?: string; /** 1,000 if absent. */ readonly limit?: number }
interface OfDevice { readonly app: string; readonly device: Device }
interface OfGroup { readonly app: string; readonly group: string }
interface OfMessage { readonly app: string; readonly messageId: bigint }
type Subscriptions = { readonly app: string; readonly topics: readonly string[] } & (
  | { readonly devices: readonly Device[]; readonly groups?: readonly string[] }
  | { readonly devices?: readonly Device[]; readonly groups: readonly string[] });

/** The listings: request, answer, row. */
export interface Listings {
  memberships: [OfDevice & ByName, {
    deviceId: bigint;
    muted: ('device' | 'group' | number)[];
    groups: { group: string; muted: boolean }[];
    topics: { topic: string; /** Empty: the device itself. */ source: string }[];
    next: string;
  }, { topic: string; source: string }];
  quarantine: [{ readonly app: string } & ByCursor, DevicePage, bigint];
  groupDevices: [OfGroup & ByCursor, DevicePage, bigint];
  groups: [{ readonly app: string; readonly prefix?: string } & ByName,
    { next: string; groups: { group: string; devices: number; muted: boolean }[] },
    { group: string; devices: number; muted: boolean }];
  groupTopics: [OfGroup & ByName, { next: string; topics: string[] }, string];
  topics: [{ readonly app: string; readonly prefix?: string } & ByName,
    { next: string; topics: { topic: string; devices: number }[] }, { topic: string; devices: number }];
  topicDevices: [{ readonly app: string; readonly topic: string } & ByCursor, DevicePage, bigint];
  messageOutcomes: [OfMessage & ByCursor,
    { next: bigint; recipients: { /** 0n: not registered. */ deviceId: bigint; outcome: Outcome | number }[] },
    { deviceId: bigint; outcome: Outcome | number }];
  messages: [{ readonly app: string; readonly before?: bigint; readonly limit?: number; readonly state?: MessageState;
    readonly sender?: string; readonly label?: string }, { next: bigint; messages: MessageRow[] }, MessageRow];
  receiptDevices: [OfMessage & { readonly kind: ReceiptKind } & ByCursor, DevicePage, bigint];
  devices: [{ readonly app: string } & ByCursor, { next: bigint; devices: DeviceRecord[] }, DeviceRecord];
  channels: [{ readonly app: string; readonly environment?: Environment } & ByName,
    { next: string; channels: string[] }, string];
}
/** A broadcast channel; without `environment` one of production. */
interface OfChannel { readonly app: string; readonly environment?: Environment; readonly channel: string }
/** A request without `app`. It distributes over the parts of a union. */
type WithoutApp<Request> = Request extends unknown ? Omit<Request, 'app'> : never;
type RequestOf<Request, HasApp> = HasApp extends true ? WithoutApp<Request> : Request;

/** The operations that concern one app. Each makes one call; §7 to §8d of the protocol say what it does. */
interface AppOperations<HasApp extends boolean> {
  register(request: RequestOf<Registration, HasApp>, options?: CallOptions): Promise<Registered>;
  registerBatch(request: { readonly items: readonly RequestOf<Registration, HasApp>[] }, options?: CallOptions):
    Promise<{ results: BatchResult[] }>;
  unregister(request: RequestOf<OfDevice & { /** Absent: now. */ readonly at?: Time }, HasApp>, options?: CallOptions):
    Promise<{ deviceId: bigint; result: 'removed' | 'was not registered' | number }>;
  lookup(request: RequestOf<OfDevice, HasApp>, options?: CallOptions): Promise<DeviceRecord>;
  updateDevice(request: RequestOf<OfDevice & { readonly locale?: string; readonly timeZone?: string;
    readonly attributes?: { readonly [key: string]: string }; readonly muted?: boolean }, HasApp>,
    options?: CallOptions): Promise<{ deviceId: bigint }>;
  restore(request: RequestOf<OfDevice, HasApp>, options?: CallOptions): Promise<{ deviceId: bigint }>;
  /** `unknown` are the indices of devices that are not registered; `messageId` is that of the announcement or 0n. */
  join(request: RequestOf<OfGroup & { readonly devices: readonly Device[] } & Announcement, HasApp>,
    options?: CallOptions): Promise<{ joined: number; messageId: bigint; unknown: number[] }>;
  leave(request: RequestOf<OfGroup & { readonly devices: readonly Device[]; readonly clearTopics?: boolean }, HasApp>,
    options?: CallOptions): Promise<{ left: number; unknown: number[] }>;
  switch(request: RequestOf<OfDevice & { readonly from: string; readonly to: string } & Announcement, HasApp>,
    options?: CallOptions):
    Promise<{ deviceId: bigint; changed: ('left' | 'joined' | number)[]; messageId: bigint }>;
  /** Without `muted` it only counts the devices. */
  updateGroup(request: RequestOf<OfGroup & { readonly muted?: boolean }, HasApp>, options?: CallOptions):
    Promise<{ devices: number }>;
  subscribe(request: RequestOf<Subscriptions, HasApp>, options?: CallOptions):
    Promise<{ changed: number; unknown: number[] }>;
  unsubscribe(request: RequestOf<Subscriptions, HasApp>, options?: CallOptions):
    Promise<{ changed: number; unknown: number[] }>;
  explain(request: RequestOf<{ readonly app: string; readonly condition: string }, HasApp>, options?: CallOptions):
    Promise<{ condition: string; devices: number; sets: { set: string; devices: number }[] }>;
  /** Sends a message. The client makes an idempotency key, so that a repetition does not send twice. */
  send(request: RequestOf<SendRequest, HasApp>, options?: CallOptions): Promise<SendAnswer>;
  messageStatus(request: RequestOf<OfMessage, HasApp>, options?: CallOptions): Promise<MessageStatus>;
  /** `resume` is never repeated by the client. */
  updateMessage(request: RequestOf<OfMessage & {
    readonly action: MessageUpdateAction; readonly pace?: number }, HasApp>,
    options?: CallOptions): Promise<{ state: MessageState | number }>;
  resend(request: RequestOf<ResendRequest, HasApp>, options?: CallOptions): Promise<SendAnswer>;
  trace(request: RequestOf<OfMessage & { readonly device: Device }, HasApp>, options?: CallOptions): Promise<Trace>;
  receipts(request: RequestOf<{ readonly app: string; readonly receipts: readonly {
    readonly messageId: bigint; readonly device: Device; readonly kind: ReceiptKind }[] }, HasApp>,
    options?: CallOptions): Promise<{ counted: number; unknown: number[] }>;
  memberships(request: RequestOf<Listings['memberships'][0], HasApp>, options?: CallOptions):
    Promise<Listings['memberships'][1]>;
  quarantine(request: RequestOf<Listings['quarantine'][0], HasApp>, options?: CallOptions): Promise<DevicePage>;
  groupDevices(request: RequestOf<Listings['groupDevices'][0], HasApp>, options?: CallOptions): Promise<DevicePage>;
  groups(request: RequestOf<Listings['groups'][0], HasApp>, options?: CallOptions): Promise<Listings['groups'][1]>;
  groupTopics(request: RequestOf<Listings['groupTopics'][0], HasApp>, options?: CallOptions):
    Promise<Listings['groupTopics'][1]>;
  topics(request: RequestOf<Listings['topics'][0], HasApp>, options?: CallOptions): Promise<Listings['topics'][1]>;
  topicDevices(request: RequestOf<Listings['topicDevices'][0], HasApp>, options?: CallOptions): Promise<DevicePage>;
  messageOutcomes(request: RequestOf<Listings['messageOutcomes'][0], HasApp>, options?: CallOptions):
    Promise<Listings['messageOutcomes'][1]>;
  messages(request: RequestOf<Listings['messages'][0], HasApp>, options?: CallOptions):
    Promise<Listings['messages'][1]>;
  receiptDevices(request: RequestOf<Listings['receiptDevices'][0], HasApp>, options?: CallOptions):
    Promise<DevicePage>;
  devices(request: RequestOf<Listings['devices'][0], HasApp>, options?: CallOptions): Promise<Listings['devices'][1]>;
  /** Creates a broadcast channel. It is not repeated after a lost answer: APNs would create another one. */
  createChannel(request: RequestOf<{ readonly app: string; readonly environment?: Environment;
    readonly storagePolicy: StoragePolicy }, HasApp>, options?: CallOptions): Promise<{ channel: string }>;
  channel(request: RequestOf<OfChannel, HasApp>, options?: CallOptions):
    Promise<{ storagePolicy: StoragePolicy | number }>;
  channels(request: RequestOf<Listings['channels'][0], HasApp>, options?: CallOptions):
    Promise<Listings['channels'][1]>;
  deleteChannel(request: RequestOf<OfChannel, HasApp>, options?: CallOptions):
    Promise<{ result: 'deleted' | 'there was no such channel' | number }>;
  /** All pages of a listing. It ends by `next`, not by the number of rows. */
  pages<Name extends keyof Listings>(listing: Name, request: RequestOf<Listings[Name][0], HasApp>,
    options?: CallOptions): AsyncGenerator<Listings[Name][1], void, undefined>;
  /** All rows of a listing. */
  rows<Name extends keyof Listings>(listing: Name, request: RequestOf<Listings[Name][0], HasApp>,
    options?: CallOptions): AsyncGenerator<Listings[Name][2], void, undefined>;
  /** Waits until every device of a message has its outcome; `timeout` is for the whole wait, 60,000 if absent. */
  waitUntilFinished(request: RequestOf<OfMessage, HasApp>,
    options?: { readonly timeout?: number; readonly signal?: CancelSignal }): Promise<MessageStatus>;
}

/** The operations of one app: `client.app(…)`. */
export interface App extends AppOperations<true> { readonly name: string }
export declare const App: { prototype: App };

// Events

export interface EventElement {
  type: 'event';
  sequence: bigint;
  at: Date;
  kind: EventKind | number;
  app?: string;
  messageId?: bigint;
  deviceId?: bigint;
  outcome?: Outcome | number;
  count?: number;
  text?: string;
}
/** Events from `missedFrom` to before `missedTo` were removed before they could be sent. */
export interface GapElement { type: 'gap'; sequence: bigint; at: Date; missedFrom: bigint; missedTo: bigint }
/** The server has another history: ids and sequences of before mean nothing. */
export interface NewHistoryElement { type: 'newHistory'; sequence?: undefined }
export type StreamElement = EventElement | GapElement | NewHistoryElement;
export interface EventsRequest {
  /** The server keeps what is acknowledged under this name; absent: nothing is kept. */
  readonly name?: string;
  /** `acknowledged` (default), or from now without a name; `now`; `oldest`; or after this number. */
  readonly start?: 'acknowledged' | 'now' | 'oldest' | bigint;
  /** Absent: all that the principal may observe. */
  readonly apps?: readonly string[];
  /** Absent: all. */
  readonly kinds?: readonly (EventKind | number)[];
  /** Elements in memory at most; 256, at least 2. */
  readonly window?: number;
}
/** A stream of events. It goes on after the loss of a connection. Leaving a `for await` ends it. */
export declare class EventStream implements AsyncIterableIterator<StreamElement> {
  private constructor();
  readonly name: string;
  /** Rejected once with a CarillonError if the stream has failed, after what was in memory. */
  next(): Promise<IteratorResult<StreamElement, undefined>>;
  return(value?: unknown): Promise<IteratorResult<StreamElement, undefined>>;
  [Symbol.asyncIterator](): this;
  /** Everything up to this element is processed. It does not wait; without a name it does nothing. */
  ack(upTo: bigint | EventElement | GapElement): void;
  /** Waits until everything acknowledged is durable. */
  flush(): Promise<void>;
  /** Sends the last acknowledgement and ends the stream. What is in memory is dropped. */
  close(): Promise<void>;
}

// The client

/** The answer to HELLO of the latest connection, and the principal. */
export interface ServerInfo {
  software: string;
  epoch: Uuid;
  clock: Date;
  frameLimit: number;
  inFlightLimit: number;
  batchLimit: number;
  keepaliveMs: number;
  pingIntervalMs: number;
  idempotencyWindowS: number;
  /** Absent if a client certificate has opened the connection. */
  principal: string | undefined;
  grants: { app: string; roles: (Role | number)[] }[] | undefined;
}
/** A client of Carillon: one connection for all calls, which may be made at the same time. */
export interface Client extends AppOperations<false> {
  /** Waits for the first connection: one round of the addresses. */
  connect(options?: CallOptions): Promise<void>;
  /** Absent before the first connection. */
  readonly server: ServerInfo | undefined;
  /** A round trip; its duration in milliseconds. */
  ping(options?: CallOptions): Promise<number>;
  /** The operations of one app; without a name of the option `app`. INVALID_ARGUMENT if there is none. */
  app(name?: string): App;
  /** Subscribes to events. Fulfilled when the server has accepted that. */
  events(request?: EventsRequest, options?: Omit<CallOptions, 'retry'>): Promise<EventStream>;
  statistics(request?: { readonly limit?: number }, options?: CallOptions): Promise<Statistics>;
  /** Removes a name of event subscriptions with what it has acknowledged. */
  forgetSubscriber(request: { readonly name: string }, options?: CallOptions):
    Promise<{ result: 'forgotten' | 'there was no such name' | number }>;
  /** Accepts no more calls, finishes those that have begun, and closes the connections. */
  close(options?: { readonly drainTimeout?: number }): Promise<void>;
}
export declare const Client: {
  /** Makes a client that connects with its first call. INVALID_ARGUMENT if an option is wrong. */
  new (options: ClientOptions): Client;
  /** Makes a client and connects; at once with the option `lazy`. */
  connect(options: ClientOptions, callOptions?: CallOptions): Promise<Client>;
};
