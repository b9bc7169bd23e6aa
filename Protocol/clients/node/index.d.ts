// Long: TypeScript finds all types of the package in one file.
/**
 * The client of Carillon for Node.js 18 and later. It knows version 1.0 of the protocol and works with every server
 * of version 1.
 *
 * Ids, cursors and sequences are `bigint`; counts, limits and durations (milliseconds) are `number`; times are `Date`.
 * A name of an enumeration that this version does not know is its number. A member that is given without a value
 * (`undefined`, `null`, `NaN`) is an error: leave it out.
 */

// Names of the protocol

/** A code of an error: of §15 of the protocol, of this client, or `UNKNOWN_` and the number of a later version. */
export type ErrorCode =
  | 'MALFORMED' | 'FRAME_TOO_LARGE' | 'UNSUPPORTED_VERSION' | 'UNSUPPORTED_OPCODE' | 'UNSUPPORTED_FIELD' | 'WRONG_PHASE'
  | 'BAD_REQUEST_ID' | 'AUTHENTICATION_FAILED' | 'FORBIDDEN' | 'NOT_FOUND' | 'INVALID_ARGUMENT' | 'STALE'
  | 'IDEMPOTENCY_CONFLICT' | 'TOO_LARGE' | 'RATE_LIMITED' | 'OVERLOADED' | 'STORAGE_FULL' | 'STORAGE_FAILED'
  | 'DEADLINE' | 'DRAINING' | 'TOO_MANY_PINGS' | 'TOO_MANY_ERRORS' | 'TIMEOUT' | 'INTERNAL' | 'TOO_MANY_CONNECTIONS'
  | 'APNS_REFUSED' | 'APNS_UNAVAILABLE' | 'BEHIND'
  | 'CANNOT_CONNECT' | 'CONNECTION_LOST' | 'NO_ANSWER' | 'CANCELLED' | 'CLOSED' | 'UNTRUSTED' | `UNKNOWN_${number}`;
/** What a call has changed: nothing, perhaps something, or what it was to change. */
export type Effect = 'not_executed' | 'unknown' | 'executed';
/** Where a token is valid. */
export type Environment = 'production' | 'sandbox';
/** What APNs stores of the messages of a broadcast channel: none, or the most recent for 8 hours at most. */
export type StoragePolicy = 'none' | 'most-recent';
/** What a token is for (§16.3). `fcm` and `fid` are of Android, `web` of a browser. */
export type TokenKind =
  | 'device' | 'voip' | 'liveactivity' | 'widget' | 'control' | 'pushtotalk' | 'fileprovider' | 'location'
  | 'complication' | 'mdm' | 'fcm' | 'fid' | 'web';
/** What a push is (§16.4). */
export type PushType =
  | 'alert' | 'background' | 'location' | 'voip' | 'complication' | 'fileprovider' | 'mdm' | 'liveactivity'
  | 'pushtotalk' | 'widgets' | 'controls';
/** `interactive`: one user waits; `bulk`: a message to many. */
export type Lane = 'interactive' | 'bulk';
/** `quarantined`: the provider has declared the token dead; nothing is sent to it. */
export type DeviceState = 'active' | 'quarantined';
/** Why a pool cannot be used: no connection, or the provider refuses its credential. */
export type ObstacleKind = 'unreachable' | 'credential-refused';
/** Where a message is between its acceptance and the last outcome. */
export type MessageState = 'waiting' | 'sending' | 'finished' | 'scheduled' | 'paused';
/** What is done with a message that is not finished (§10.6). */
export type MessageUpdateAction = 'cancel' | 'pause' | 'resume' | 'pace';
/** What an app has done with a push. */
export type ReceiptKind = 'received' | 'opened';
/** What a principal may do for an app. */
export type Role = 'register' | 'send' | 'observe' | 'admin';
/** How the delivery to a device has ended (§16.5); `pending`: not yet. */
export type Outcome =
  | 'pending' | 'delivered' | 'unregistered' | 'expired' | 'gave-up' | 'wrong-kind' | 'no-credential' | 'quarantined'
  | 'muted' | 'no-language' | 'cancelled' | 'over-budget' | 'left' | 'token-unregistered' | 'token-expired'
  | 'bad-token' | 'token-not-for-topic' | 'payload-too-large' | 'topic-disallowed' | 'bad-topic' | 'bad-request'
  | 'forbidden' | 'no-channel' | 'refused';
/** What has happened (§11.2). */
export type EventKind =
  | 'message-finished' | 'delivery-failed' | 'device-quarantined' | 'token-replaced' | 'device-moved'
  | 'message-updated' | 'connection-up' | 'connection-down' | 'credential-refused' | 'bad-tokens-began'
  | 'bad-tokens-ended' | 'pool-unreachable' | 'pool-reachable';

// Values

/** A moment: a Date, or milliseconds since 1970. */
export type Time = Date | number;
/** A device token: raw bytes, or their hexadecimal digits. */
export type Token = Uint8Array | string;
/** A device by its id, or by its token; without more that of production and of kind `device`. */
export type DeviceReference =
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
  /** True if it is cancelled. */
  readonly aborted: boolean;
  /** Why. */
  readonly reason?: unknown;
  /** Calls the listener when it is cancelled. */
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  /** Does not call the listener any more. */
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
  /** The name of the class. */
  readonly name: 'CarillonError';
  /** What is wrong. */
  readonly code: ErrorCode;
  /** The number of the code; 0 for the client's own codes without one. */
  readonly number: number;
  /** The effect of the call, over all its attempts. */
  readonly effect: Effect;
  /** What has failed: one request, or the connection. */
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
  /** True if the call certainly changed nothing. */
  get isNotExecuted(): boolean;
  /** True if the same call, with `key` where there is one, can be made again without doing it twice. */
  get isSafeToRetry(): boolean;
  /** True if the same call can succeed later. */
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
  /** A file of `ca`, read at each connection. */
  readonly caFile?: string;
  /** A client certificate, PEM, with its key. The files are read at each connection. */
  readonly certificateFile?: string;
  /** The key of `certificateFile`. */
  readonly certificateKeyFile?: string;
  /** The name that the server's certificate must have; absent: the host. */
  readonly serverName?: string;
  /** A name for the server's log, behind that of this client. */
  readonly programName?: string;
  /** For a call; 10,000. */
  readonly requestTimeout?: number;
  /** For an attempt to open a connection; 5,000. */
  readonly connectTimeout?: number;
  /** The silence after which the client asks with a PING whether the server of a waiting request lives; 3,000. */
  readonly probeAfter?: number;
  /** How long the server may stay silent after a PING; 5,000. */
  readonly pingTimeout?: number;
  /** The first pause before a repetition; 100. Pauses double up to `maximumBackoff`, 5,000. */
  readonly backoff?: number;
  /** The longest pause; 5,000. */
  readonly maximumBackoff?: number;
  /** How long the client leaves an address alone that has refused it; 60,000. */
  readonly refusalPause?: number;
  /** How long `close` waits for calls; 5,000. */
  readonly drainTimeout?: number;
  /** How many attempts a call may make; 6. */
  readonly maximumAttempts?: number;
  /** How many requests may be without an answer; 1,024, and never more than the server allows. */
  readonly maximumInFlight?: number;
  /** How many calls may wait for a connection or for room; 10,000. One more fails with OVERLOADED. */
  readonly maximumWaitingCalls?: number;
  /** How many bytes the requests of all calls may have; 64 MiB. */
  readonly maximumMemoryBytes?: number;
  /** The longest answer that the client accepts, in bytes; 1 MiB, at least 4,096. */
  readonly maximumReceiveBytes?: number;
  /** True: `Client.connect` does not wait for a connection. */
  readonly lazy?: boolean;
  /** Called once at the end of each call. */
  readonly onCall?: (call: CallReport) => void;
  /** Called before each repetition. */
  readonly onRetry?: (retry: RetryReport) => void;
  /** Called when the state of a connection changes, and when the client is closed. */
  readonly onState?: (state: StateReport) => void;
}
/** The end of a call. */
export interface CallReport {
  /** The name of the method. */
  readonly operation: string;
  /** The address of the last attempt; absent if there was none. */
  readonly address: string | undefined;
  /** Milliseconds. */
  readonly duration: number;
  /** How many requests were written. */
  readonly attempts: number;
  /** Absent if the call succeeded. */
  readonly code: ErrorCode | undefined;
  /** What the call has changed. */
  readonly effect: Effect;
}
/** An attempt that has failed; another one follows. */
export interface RetryReport {
  /** The name of the method. */
  readonly operation: string;
  /** Attempts so far. */
  readonly attempt: number;
  /** Milliseconds. */
  readonly pause: number;
  /** Why the attempt has failed. */
  readonly error: CarillonError;
}
/** A change of a connection, or of the client: `closed`. */
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
  /** The title. */
  readonly title?: LocalizedText;
  /** The line below the title. */
  readonly subtitle?: LocalizedText;
  /** The text. */
  readonly body?: LocalizedText;
  /** The image that the app shows when it starts. */
  readonly launchImage?: string;
}
/** Fields of a Live Activity. Times are Dates or whole seconds since 1970. */
export interface LiveActivityFields {
  /** When the content was true; APNs drops what is older. */
  readonly timestamp: Date | number;
  /** What happens to the Live Activity. */
  readonly event: 'start' | 'update' | 'end';
  /** The content that it shows. */
  readonly contentState?: { readonly [name: string]: Json };
  /** When the content is out of date. */
  readonly staleDate?: Date | number;
  /** When an ended one disappears. */
  readonly dismissalDate?: Date | number;
  /** The type of the attributes, with `start`. */
  readonly attributesType?: string;
  /** What does not change while it lives, with `start`. */
  readonly attributes?: { readonly [name: string]: Json };
  /** The broadcast channel to which a started one listens. */
  readonly inputPushChannel?: string;
  /** True: a started one asks for a token. */
  readonly inputPushToken?: boolean;
}
/** Fields of a notification. One that is not set is not in the payload. */
export interface NotificationFields extends Translation {
  /** The number on the icon; 0 removes it. */
  readonly badge?: number;
  /** A file name, or a critical sound; `volume` is 0 to 1. */
  readonly sound?: string | { readonly name: string; readonly volume?: number };
  /** Notifications of the same one are shown together. */
  readonly threadId?: string;
  /** The category of the app, which has the buttons. */
  readonly category?: string;
  /** True: the app is started in the background. */
  readonly contentAvailable?: boolean;
  /** True: an extension of the app may change the notification. */
  readonly mutableContent?: boolean;
  /** How much it disturbs. */
  readonly interruptionLevel?: 'passive' | 'active' | 'time-sensitive' | 'critical';
  /** 0 to 1: its place in the summary. */
  readonly relevanceScore?: number;
  /** The window of the app that opens. */
  readonly targetContentId?: string;
  /** What a Focus of the user compares with its filter. */
  readonly filterCriteria?: string;
  /** True: widgets load their content again. */
  readonly contentChanged?: boolean;
  /** The values of Safari's URL. */
  readonly urlArgs?: readonly string[];
  /** The fields of a Live Activity. */
  readonly liveActivity?: LiveActivityFields;
  /** The magic of device management. */
  readonly mdm?: string;
  /** Members beside `aps`. */
  readonly data?: { readonly [name: string]: Json };
}
/** The content of a push, in the fields of APNs. It is checked as the server does, before anything is written. */
export declare class Notification {
  /** Checks the names of the fields; INVALID_ARGUMENT for one that is not known. */
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
type AudienceKind = 'devices' | 'groups' | 'topic' | 'condition' | 'channel';
type OneOf<Kind extends AudienceKind, Value> =
  { readonly [Name in Kind]: Value } & { readonly [Name in Exclude<AudienceKind, Kind>]?: never };
/** The devices that a message is for: exactly one of these. */
export type AudienceOf =
  | OneOf<'devices', readonly DeviceReference[]> | OneOf<'groups', readonly string[]> | OneOf<'topic', string>
  | OneOf<'condition', string> | OneOf<'channel', { readonly id: string; readonly environment?: Environment }>
  | AllDevices;
/** Makes the audience of a message. */
export declare const Audience: {
  /** These devices; not empty. */
  devices(devices: readonly DeviceReference[]): AudienceOf;
  /** Every device of any of the groups, once. */
  groups(groups: readonly string[]): AudienceOf;
  /** Every device of the topic. */
  topic(topic: string): AudienceOf;
  /** `Conditions.md` has the grammar. */
  condition(condition: string): AudienceOf;
  /**
   * The devices that are subscribed to a broadcast channel at APNs; of production if no environment is given. The push
   * type is `liveactivity`, the event of the payload `update` or `end`, and `expiration` is needed.
   */
  channel(id: string, environment?: Environment): AudienceOf;
  /** Every device of the app. There is no other way to say this. */
  allDevices(): AudienceOf;
};

// Requests and answers. In objects of `client.app(…)` requests have no `app`.

/** A device, as its app registers it (§7.1). */
export interface Registration {
  /** The bundle id. */
  readonly app: string;
  /** `production` if absent. */
  readonly environment?: Environment;
  /** `device` if absent. */
  readonly kind?: TokenKind;
  /** The token that the system gave to the app. */
  readonly token: Token;
  /**
   * When the app saw the token. Absent: now, by the server's clock; the client then does not repeat the request after a
   * lost answer.
   */
  readonly seenAt?: Time;
  /** The old token that this one replaces. */
  readonly replaces?: Token;
  /** A language tag; empty = forget it. */
  readonly locale?: string;
  /** A name of the IANA database; empty = forget it. */
  readonly timeZone?: string;
  /** Topics to which the registration subscribes the device. */
  readonly topics?: readonly string[];
  /** Groups that the device joins with this registration. */
  readonly groups?: readonly string[];
  /** An empty value removes the key. */
  readonly attributes?: { readonly [key: string]: string };
  /**
   * The push subscription of a browser, of kind `web`: what `PushSubscription.toJSON()` gives. The token is
   * `browserToken(subscription)`.
   */
  readonly subscription?: RawPayload;
}
/** The token of a browser with this push subscription: the SHA-256 of its endpoint (§16.3). */
export function browserToken(subscription: RawPayload): Uint8Array;
/** The device of a registration, and whether it was there before. */
export interface RegisterResult { deviceId: bigint; result: 'created' | 'refreshed' | 'replaced' | number }
/** The device that was unregistered; 0n: there was none. */
export interface UnregisterResult { deviceId: bigint; result: 'removed' | 'not-registered' | number }
/** One item of a batch: what was done, or why not. */
export type BatchResult =
  | { deviceId: bigint; result: 'created' | 'refreshed' | 'replaced' | number; code?: undefined }
  | { code: ErrorCode; deviceId?: undefined; result?: undefined };
/** What is stored of a device (§7.4). */
export interface DeviceRecord {
  /** Its id, which stays the same when its token is replaced. */
  deviceId: bigint;
  /** Where its token is valid. */
  environment: Environment | number;
  /** What its token is for. */
  kind: TokenKind | number;
  /** Its token. */
  token: Uint8Array;
  /** The server's time of the latest registration. */
  registeredAt: Date;
  /** When the app saw the token, as the latest registration said. */
  seenAt: Date;
  /** Whether pushes go to it. */
  state: DeviceState | number;
  /** Its language. */
  locale?: string;
  /** Its time zone, a name of the IANA database. */
  timeZone?: string;
  /** Its attributes. */
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
/** The key of a message; the client makes one if it is absent. `noKey`: none, and no repetition after a lost answer. */
export type Key = { readonly key?: Uuid; readonly noKey?: never } | { readonly key?: never; readonly noKey: true };
/** What a message is besides its content (§10.1). */
export interface SendOptions {
  /** The bundle id. */
  readonly app: string;
  /** Who gets it. */
  readonly audience: AudienceOf;
  /** `alert` if absent. */
  readonly pushType?: PushType;
  /** Absent: the usual one of the push type. */
  readonly priority?: 10 | 5 | 1;
  /** The provider stores the push until then; 0: it tries once. */
  readonly expiration?: Time;
  /** A later push with the same id replaces this one on the device. */
  readonly collapseId?: string;
  /** No attempt starts after it. */
  readonly notAfter?: Time;
  /** `interactive` if absent. */
  readonly lane?: Lane;
  /** Left out of the audience. */
  readonly excludedDevice?: DeviceReference;
  /** Everything is checked and counted, nothing is sent. */
  readonly dryRun?: boolean;
  /** When it is sent; absent: now. The audience is resolved then. */
  readonly sendAt?: Time;
  /** Deliveries a second at most. */
  readonly pace?: number;
  /** Of silent pushes; `drop` if absent. */
  readonly overBudget?: 'drop' | 'wait';
  /** Each payload contains the message's id under this key. */
  readonly idKey?: string;
  /** A text for lists and for the server's log; devices do not get it. */
  readonly label?: string;
  /** The distributed trace that it belongs to, as W3C Trace Context writes it. */
  readonly traceparent?: string;
  /** Members of FCM's `message.android`, which override what is made of the payload (§10.1.6). */
  readonly android?: RawPayload;
  /** FCM's `message` without its target, instead of what is made of the payload. */
  readonly androidRaw?: RawPayload;
  /** Overrides what browsers get: `notification`, `mutable`, `ttl`, `urgency`, `topic` (§10.1.7). */
  readonly web?: RawPayload;
  /** What the service worker of a browser gets, instead of what is made of the payload. */
  readonly webRaw?: RawPayload;
}
/** A message: options, content and key. */
export type SendRequest = SendOptions & Content & Key;
/** A second message for devices of a finished one (§10.7). */
export type ResendRequest = {
  /** The bundle id. */
  readonly app: string;
  /** The finished message. */
  readonly messageId: bigint;
  /** Absent: every outcome that a second attempt can improve. */
  readonly outcomes?: readonly Outcome[];
  /** No attempt starts after it; absent: as the old message. */
  readonly notAfter?: Time | typeof NO_LIMIT;
} & Key;
/** An accepted message. */
export interface SendResult {
  /** 0 for a dry run. */
  messageId: bigint;
  /** A message with this key was accepted before; this is its answer. */
  duplicate: boolean;
  /** Devices addressed. */
  total: number;
  /** Of these, how many had an outcome at once. */
  ended: number;
}
/** How many devices have an outcome. */
export interface OutcomeCount { outcome: Outcome | number; devices: number }
/** The state of a message, and how many devices have which outcome (§10.2). */
export interface MessageStatus {
  /** Where it is. */
  state: MessageState | number;
  /** When it was accepted. */
  acceptedAt: Date;
  /** When the last device had its outcome; absent: not yet. */
  finishedAt: Date | undefined;
  /** Devices addressed. */
  total: number;
  /** By outcome, without those of no device. */
  outcomes: OutcomeCount[];
  /** When it is sent, if it is scheduled. */
  sendAt?: Date;
  /** Deliveries a second at most. */
  pace?: number;
  /** Devices that ended in the last second. */
  rate?: number;
  /** How long the rest will take, at this rate. */
  remainingMs?: number;
  /** Devices that have reported its receipt. */
  received: number;
  /** Devices that have reported that it was opened. */
  opened: number;
  /** The audience as a condition. */
  audience?: string;
  /** The label of `send`. */
  label?: string;
  /** The principal that has sent it. */
  sender?: string;
  /** The distributed trace that it belongs to. */
  traceparent?: string;
  /** Why devices wait. */
  obstacles: Obstacle[];
}
/** A pool that cannot be used now. `cause` is a word for programs, `reason` a text for operators; both may be empty. */
export interface Obstacle {
  /** What is wrong. */
  kind: ObstacleKind | number;
  /** The credential of the pool. */
  credential: string;
  /** The environment of the pool. */
  environment: Environment | number;
  /** Since when. */
  beganAt: Date | undefined;
  /** When the server tries again. */
  nextAttemptAt: Date | undefined;
  /** A word for programs; may be empty. */
  cause: string;
  /** A text for operators; may be empty. */
  reason: string;
}
/** A row of the list of messages (§10.5). */
export interface MessageSummary {
  /** Its id. */
  messageId: bigint;
  /** Where it is. */
  state: MessageState | number;
  /** When it was accepted. */
  acceptedAt: Date;
  /** What its pushes are. */
  pushType: PushType | number;
  /** Its lane. */
  lane: Lane | number;
  /** Devices addressed. */
  total: number;
  /** Devices with an outcome. */
  ended: number;
  /** Of these, delivered. */
  delivered: number | undefined;
  /** Of these, with another outcome. */
  failed: number | undefined;
  /** The label of `send`. */
  label: string | undefined;
  /** The principal that has sent it. */
  sender: string | undefined;
}
/** Why a device got a message, or did not (§10.8). */
export interface Trace {
  /** The device; 0n: it is not registered, or the recipient is a broadcast channel. */
  deviceId: bigint;
  /** Where the message is. */
  state: MessageState | number;
  /** Whether the device is a recipient, or would be. */
  addressing: 'recipient' | 'no-recipient' | 'would-be-recipient' | 'would-be-no-recipient' | number;
  /** The outcome of the device. */
  outcome: Outcome | number;
  /** Its state now; `has-body`: a body of the message fits its language. */
  flags: ('quarantined' | 'muted' | 'has-body' | number)[];
  /** Through which parts of the audience it is a recipient. */
  sources: { kind: 'device' | 'group' | 'topic' | 'term' | 'all' | number; name: string; through: string }[];
  /** Groups that keep the push from it. */
  mutedGroups: string[];
  /** The language of the body that it gets. */
  language?: string;
  /** Silent pushes that it may still get. */
  silentBudgetLeft?: number;
  /** Attempts of the push, the oldest first. */
  attempts: { at: Date; connection: number; status: number; reason: string }[];
  /** When the next attempt is due. */
  nextAttemptAt?: Date;
  /** What APNs calls each attempt (`apns-unique-id`); empty where it gave no id, and if it gave none at all. */
  uniqueIds: string[];
}
/** The state of a server (§13.1). Members whose name has `micros` are microseconds. */
export interface Statistics {
  /** When this was counted. */
  at: Date;
  /** When the process began. */
  startedAt: Date;
  /** Name and version of the server. */
  software: string;
  /** Connections of clients. */
  clients: number;
  /** Of these, those whose client has not authenticated yet. */
  halfOpen: number;
  /** Requests by opcode and code. */
  requests: { opcode: number; code: ErrorCode | undefined; count: number; micros: number }[];
  /** Changes that wait for the disk. */
  queuedChanges: number;
  /** Batches of changes since the start. */
  batches: number;
  /** Changes in them. */
  changes: number;
  /** Their duration. */
  batchMicros: number;
  /** The durations of the latest ones. */
  latestBatches: number[];
  /** What each lane has to do. */
  lanes: { lane: Lane | number; messages: number; waiting: number; delayed: number; inFlight: number }[];
  /** Deliveries that are not on disk yet: after a crash now they would be sent twice. */
  unrecorded: number;
  /** Messages that are being sent. */
  sending: { messageId: bigint; app: string; lane: Lane | number; acceptedAt: Date; total: number; ended: number;
    inFlight: number; rate: number }[];
  /** Outcomes since the start. */
  outcomes: OutcomeCount[];
  /** Connections to providers, by credential. */
  pools: { credential: string; environment: Environment | number; parked: boolean; opening: number; open: number;
    draining: number; inFlight: number; streams: number; throttle: number; attempts: number }[];
  /** Their answers, by pool, status and reason. */
  answers: { pool: number; status: number; reason: string; count: number }[];
  /** The size of the database's file, free pages in it included. */
  databaseBytes?: number;
  /** Of these, the bytes in free pages. */
  freeBytes?: number;
  /** The size of the memory map. */
  mapBytes?: number;
  /** The size to which the map may grow. */
  limitBytes?: number;
  /** Snapshots that are being read. */
  readers?: number;
  /** Commits of the database since the oldest of these. */
  readerAgeCommits?: number;
  /** Messages that are kept, in any state. */
  kept?: number;
  /** Of these, those that are to be sent now. */
  unfinished?: number;
  /** Of these, those that wait for their time. */
  scheduled?: number;
  /** When `apps` were counted. */
  countedAt?: Date;
  /** Devices, groups and topics of each app. */
  apps: { app: string; devices: number; quarantined: number; groups: number; topics: number }[];
  /** Pools that could not connect: how often, and why the latest attempt failed. */
  failures: { pool: number; unreachable: boolean; count: number; lastAt: Date | undefined; reason: string }[];
  /** Pools that cannot connect now. */
  outages: { pool: number; beganAt: Date | undefined; nextAttemptAt: Date | undefined; cause: string }[];
  /** The nodes of the cluster; none without a cluster. */
  nodes: {
    node: string; incarnation: number; over: boolean; position: bigint; hash: string; silentMs: number; leaseMs: number;
    format: number; version: string; address: string;
  }[];
  /** The position of the last entry in the log of the cluster. */
  logPosition?: bigint;
  /** The number of entries that the log keeps. */
  logEntries?: bigint;
  /** The position of the newest snapshot. */
  snapshotPosition?: bigint;
  /** What each node has claimed, in the order of `nodes`; none if the server does not say. */
  claims: { messages: number; blocks: number; pages: number }[];
  /** The devices of each app by provider, in the order of `apps`; none if the server does not say. */
  devicesByProvider: { apns: number; fcm: number; web: number }[];
}
// `unknown` are the indices of devices that are not registered, or of receipts that belong to no delivery.

/** Devices that were not members before; `messageId` is that of the announcement, 0n: there is none. */
export interface JoinResult { joined: number; messageId: bigint; unknown: number[] }
/** Devices that were members. */
export interface LeaveResult { left: number; unknown: number[] }
/** What has changed for a device; `messageId` is that of the announcement, 0n: there is none. */
export interface SwitchGroupResult { deviceId: bigint; changed: ('left' | 'joined' | number)[]; messageId: bigint }
/** `changed`: subscriptions that are new, or have ended; one for each topic and each device or group. */
export interface SubscribeResult { changed: number; unknown: number[] }
/** Receipts that are new. */
export interface ReceiptResult { counted: number; unknown: number[] }
/** A condition in its canonical form, and how many devices it and each of its sets have now (§9.4). */
export interface Explanation { condition: string; devices: number; sets: ExplainedSet[] }
/** A set that a condition names, as a condition of its own. */
export interface ExplainedSet { set: string; devices: number }
/** A group, and how many devices it has. */
export interface GroupSummary { group: string; devices: number; muted: boolean }
/** A topic, and how many devices it has. */
export interface TopicSummary { topic: string; devices: number }
/** A group of a device, and whether the group is muted. */
export interface GroupMembership { group: string; muted: boolean }
/** A topic of a device, and the group through which it has it; empty: the device itself. */
export interface TopicMembership { topic: string; source: string }
/** How the delivery to a device has ended; a token that was not registered has the id 0n. */
export interface RecipientOutcome { deviceId: bigint; outcome: Outcome | number }

// Pages of listings. `next` is for the next page; 0n or empty: this was the last.

/** The groups of a device, and a page of its topics (§7.6). */
export interface Memberships {
  /** The device. */
  deviceId: bigint;
  /** Why it gets no pushes; empty if it gets them. */
  muted: ('device' | 'group' | number)[];
  /** All its groups. */
  groups: GroupMembership[];
  /** The topics of this page. */
  topics: TopicMembership[];
  /** `after` of the next page. */
  next: string;
}
/** A page of ids of devices. */
export interface DeviceIdPage { next: bigint; devices: bigint[] }
/** A page of devices. */
export interface DevicePage { next: bigint; devices: DeviceRecord[] }
/** A page of groups. */
export interface GroupPage { next: string; groups: GroupSummary[] }
/** A page of the topics of a group. */
export interface GroupTopicPage { next: string; topics: string[] }
/** A page of topics. */
export interface TopicPage { next: string; topics: TopicSummary[] }
/** A page of the recipients of a message. */
export interface OutcomePage { next: bigint; recipients: RecipientOutcome[] }
/** A page of messages, the newest first. With filters a page can be empty although there are more. */
export interface MessagePage { next: bigint; messages: MessageSummary[] }
/** A page of broadcast channels. */
export interface ChannelPage { next: string; channels: string[] }

interface ByCursor { readonly cursor?: bigint; /** 1,000 if absent. */ readonly limit?: number }
interface ByName { readonly after?: string; /** 1,000 if absent. */ readonly limit?: number }
interface OfDevice { readonly app: string; readonly device: DeviceReference }
interface OfGroup { readonly app: string; readonly group: string }
interface OfMessage { readonly app: string; readonly messageId: bigint }
type Subscriptions = { readonly app: string; readonly topics: readonly string[] } & (
  | { readonly devices: readonly DeviceReference[]; readonly groups?: readonly string[] }
  | { readonly devices?: readonly DeviceReference[]; readonly groups: readonly string[] });

/** The listings: request, answer, row. */
export interface Listings {
  /** The groups of a device, and its topics. */
  memberships: [OfDevice & ByName, Memberships, TopicMembership];
  /** Devices in quarantine. */
  quarantinedDevices: [{ readonly app: string } & ByCursor, DeviceIdPage, bigint];
  /** The devices of a group. */
  groupDevices: [OfGroup & ByCursor, DeviceIdPage, bigint];
  /** The groups of an app. */
  groups: [{ readonly app: string; readonly prefix?: string } & ByName, GroupPage, GroupSummary];
  /** The topics of a group. */
  groupTopics: [OfGroup & ByName, GroupTopicPage, string];
  /** The topics of an app. */
  topics: [{ readonly app: string; readonly prefix?: string } & ByName, TopicPage, TopicSummary];
  /** The devices of a topic. */
  topicDevices: [{ readonly app: string; readonly topic: string } & ByCursor, DeviceIdPage, bigint];
  /** The recipients of a message. */
  messageOutcomes: [OfMessage & ByCursor, OutcomePage, RecipientOutcome];
  /** The messages of an app, the newest first. */
  messages: [{ readonly app: string; readonly before?: bigint; readonly limit?: number; readonly state?: MessageState;
    readonly sender?: string; readonly label?: string }, MessagePage, MessageSummary];
  /** Devices that have reported a receipt. */
  receiptDevices: [OfMessage & { readonly kind: ReceiptKind } & ByCursor, DeviceIdPage, bigint];
  /** The devices of an app. */
  devices: [{ readonly app: string } & ByCursor, DevicePage, DeviceRecord];
  /** The broadcast channels of an app. */
  channels: [{ readonly app: string; readonly environment?: Environment } & ByName, ChannelPage, string];
}
/** A broadcast channel; without `environment` one of production. */
interface OfChannel { readonly app: string; readonly environment?: Environment; readonly channel: string }
/** A request without `app`. It distributes over the parts of a union. */
type WithoutApp<Request> = Request extends unknown ? Omit<Request, 'app'> : never;
type RequestOf<Request, HasApp> = HasApp extends true ? WithoutApp<Request> : Request;

/** The operations that concern one app. Each makes one call; §7 to §14 of the protocol say what it does. */
interface AppOperations<HasApp extends boolean> {
  /** Registers a device, or refreshes its registration (§7.1). */
  register(request: RequestOf<Registration, HasApp>, options?: CallOptions): Promise<RegisterResult>;
  /** Registers many devices in one step (§7.2). */
  registerBatch(request: { readonly items: readonly RequestOf<Registration, HasApp>[] }, options?: CallOptions):
    Promise<{ results: BatchResult[] }>;
  /** Removes a device (§7.3). */
  unregister(request: RequestOf<OfDevice & { /** Absent: now. */ readonly at?: Time }, HasApp>, options?: CallOptions):
    Promise<UnregisterResult>;
  /** What is stored of a device (§7.4). */
  lookup(request: RequestOf<OfDevice, HasApp>, options?: CallOptions): Promise<DeviceRecord>;
  /** Changes a device; what is left out stays (§7.5). */
  updateDevice(request: RequestOf<OfDevice & { readonly locale?: string; readonly timeZone?: string;
    readonly attributes?: { readonly [key: string]: string }; readonly muted?: boolean }, HasApp>,
    options?: CallOptions): Promise<{ deviceId: bigint }>;
  /** Takes a device out of quarantine (§7.7). */
  restore(request: RequestOf<OfDevice, HasApp>, options?: CallOptions): Promise<{ deviceId: bigint }>;
  /** Adds devices to a group (§8.1). */
  join(request: RequestOf<OfGroup & { readonly devices: readonly DeviceReference[] } & Announcement, HasApp>,
    options?: CallOptions): Promise<JoinResult>;
  /** Devices leave a group; `clearTopics`: they lose their own topics as well (§8.2). */
  leave(request: RequestOf<OfGroup & { readonly devices: readonly DeviceReference[];
    readonly clearTopics?: boolean }, HasApp>, options?: CallOptions): Promise<LeaveResult>;
  /** A device leaves one group and joins another (§8.3). */
  switch(request: RequestOf<OfDevice & { readonly from: string; readonly to: string } & Announcement, HasApp>,
    options?: CallOptions): Promise<SwitchGroupResult>;
  /** The number of devices of a group (§8.6). */
  groupSize(request: RequestOf<OfGroup, HasApp>, options?: CallOptions): Promise<{ devices: number }>;
  /** Mutes a group, or ends that; the answer is the number of its devices (§8.6). */
  setGroupMuted(request: RequestOf<OfGroup & { readonly muted: boolean }, HasApp>, options?: CallOptions):
    Promise<{ devices: number }>;
  /** Subscribes devices and groups to topics (§9.1). */
  subscribe(request: RequestOf<Subscriptions, HasApp>, options?: CallOptions): Promise<SubscribeResult>;
  /** Ends subscriptions (§9.1). */
  unsubscribe(request: RequestOf<Subscriptions, HasApp>, options?: CallOptions): Promise<SubscribeResult>;
  /** Counts the devices of a condition and of its sets (§9.4). */
  explain(request: RequestOf<{ readonly app: string; readonly condition: string }, HasApp>, options?: CallOptions):
    Promise<Explanation>;
  /** Sends a message. The client makes an idempotency key, so that a repetition does not send twice. */
  send(request: RequestOf<SendRequest, HasApp>, options?: CallOptions): Promise<SendResult>;
  /** The state of a message (§10.2). */
  messageStatus(request: RequestOf<OfMessage, HasApp>, options?: CallOptions): Promise<MessageStatus>;
  /**
   * Cancels, pauses, resumes or paces a message (§10.6). The client does not repeat `resume` after a lost answer: a
   * second one could end a pause that was made in between.
   */
  updateMessage(request: RequestOf<OfMessage & {
    readonly action: MessageUpdateAction; readonly pace?: number }, HasApp>,
    options?: CallOptions): Promise<{ state: MessageState | number }>;
  /** Sends a finished message again to its devices with some outcomes (§10.7). */
  resend(request: RequestOf<ResendRequest, HasApp>, options?: CallOptions): Promise<SendResult>;
  /** Why one device got a message, or did not (§10.8). */
  trace(request: RequestOf<OfMessage & { readonly device: DeviceReference }, HasApp>, options?: CallOptions):
    Promise<Trace>;
  /** Reports what apps have done with pushes (§12.1). */
  reportReceipts(request: RequestOf<{ readonly app: string; readonly receipts: readonly {
    readonly messageId: bigint; readonly device: DeviceReference; readonly kind: ReceiptKind }[] }, HasApp>,
    options?: CallOptions): Promise<ReceiptResult>;
  /** A page of what a device is member of (§7.6). */
  memberships(request: RequestOf<Listings['memberships'][0], HasApp>, options?: CallOptions): Promise<Memberships>;
  /** A page of the devices in quarantine (§7.8). */
  quarantinedDevices(request: RequestOf<Listings['quarantinedDevices'][0], HasApp>, options?: CallOptions):
    Promise<DeviceIdPage>;
  /** A page of the devices of a group (§8.4). */
  groupDevices(request: RequestOf<Listings['groupDevices'][0], HasApp>, options?: CallOptions): Promise<DeviceIdPage>;
  /** A page of the groups (§8.5). */
  groups(request: RequestOf<Listings['groups'][0], HasApp>, options?: CallOptions): Promise<GroupPage>;
  /** A page of the topics of a group (§8.7). */
  groupTopics(request: RequestOf<Listings['groupTopics'][0], HasApp>, options?: CallOptions): Promise<GroupTopicPage>;
  /** A page of the topics (§9.2). */
  topics(request: RequestOf<Listings['topics'][0], HasApp>, options?: CallOptions): Promise<TopicPage>;
  /** A page of the devices of a topic (§9.3). */
  topicDevices(request: RequestOf<Listings['topicDevices'][0], HasApp>, options?: CallOptions): Promise<DeviceIdPage>;
  /** A page of the recipients of a message (§10.3). */
  messageOutcomes(request: RequestOf<Listings['messageOutcomes'][0], HasApp>, options?: CallOptions):
    Promise<OutcomePage>;
  /** A page of the messages, the newest first (§10.5). */
  messages(request: RequestOf<Listings['messages'][0], HasApp>, options?: CallOptions): Promise<MessagePage>;
  /** A page of the devices that have reported a receipt (§12.2). */
  receiptDevices(request: RequestOf<Listings['receiptDevices'][0], HasApp>, options?: CallOptions):
    Promise<DeviceIdPage>;
  /** A page of all devices (§13.2). */
  devices(request: RequestOf<Listings['devices'][0], HasApp>, options?: CallOptions): Promise<DevicePage>;
  /** Creates a broadcast channel. It is not repeated after a lost answer: APNs would create another one. */
  createChannel(request: RequestOf<{ readonly app: string; readonly environment?: Environment;
    readonly storagePolicy: StoragePolicy }, HasApp>, options?: CallOptions): Promise<{ channel: string }>;
  /** What APNs stores of a broadcast channel (§14). */
  channel(request: RequestOf<OfChannel, HasApp>, options?: CallOptions):
    Promise<{ storagePolicy: StoragePolicy | number }>;
  /** A page of the broadcast channels (§14). */
  channels(request: RequestOf<Listings['channels'][0], HasApp>, options?: CallOptions): Promise<ChannelPage>;
  /** Deletes a broadcast channel (§14). */
  deleteChannel(request: RequestOf<OfChannel, HasApp>, options?: CallOptions):
    Promise<{ result: 'deleted' | 'no-such-channel' | number }>;
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
/** The class of these objects, for `instanceof`. */
export declare const App: { prototype: App };

// Events

/** An event. */
export interface EventElement {
  /** What the element is. */
  type: 'event';
  /** Its number, for `acknowledge`. */
  sequence: bigint;
  /** When it happened. */
  at: Date;
  /** What has happened. */
  kind: EventKind | number;
  /** The app. */
  app?: string;
  /** The message. */
  messageId?: bigint;
  /** The device. */
  deviceId?: bigint;
  /** The outcome. */
  outcome?: Outcome | number;
  /** How many, by kind. */
  count?: number;
  /** A detail whose meaning depends on the kind (§16.6). */
  text?: string;
  /** The distributed trace of its message. */
  traceparent?: string;
}
/** Events from `missedFrom` to before `missedTo` were removed before they could be sent. */
export interface GapElement { type: 'gap'; sequence: bigint; at: Date; missedFrom: bigint; missedTo: bigint }
/** The server has another history: ids and sequences of before mean nothing. */
export interface NewHistoryElement { type: 'newHistory'; sequence?: undefined }
/** What a stream of events has: an event, a gap, or a new history. */
export type StreamElement = EventElement | GapElement | NewHistoryElement;
/** Which events are wanted. */
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
  /** The name of the subscription; empty: none. */
  readonly name: string;
  /** Rejected once with a CarillonError if the stream has failed, after what was in memory. */
  next(): Promise<IteratorResult<StreamElement, undefined>>;
  /** Ends the stream, as `close`. */
  return(value?: unknown): Promise<IteratorResult<StreamElement, undefined>>;
  /** The stream itself. */
  [Symbol.asyncIterator](): this;
  /**
   * Says that the program has processed all events up to this one. It returns at once. If the stream has no name,
   * nothing is acknowledged.
   */
  acknowledge(upTo: bigint | EventElement | GapElement): void;
  /** Waits until everything acknowledged is durable. */
  flush(): Promise<void>;
  /** Sends the last acknowledgement and ends the stream. What is in memory is dropped. */
  close(): Promise<void>;
}

// The client

/** The answer to HELLO of the latest connection, and the principal. */
export interface ServerInfo {
  /** Name and version. */
  software: string;
  /** The id of its history: another one after a restore. */
  epoch: Uuid;
  /** Its clock when the connection was opened. */
  clock: Date;
  /** Bytes of a request at most. */
  frameLimit: number;
  /** Requests without an answer at most. */
  inFlightLimit: number;
  /** Items of a batch at most. */
  batchLimit: number;
  /** After so long a silence either side pings. */
  keepaliveMs: number;
  /** The shortest time between two PINGs. */
  pingIntervalMs: number;
  /** How long it remembers a key, in seconds. */
  idempotencyWindowS: number;
  /** Absent if a client certificate has opened the connection. */
  principal: string | undefined;
  /** What the principal may do. */
  grants: { app: string; roles: (Role | number)[] }[] | undefined;
  /** The node of a cluster that the server is, and the cluster; absent if it belongs to none. */
  node?: string;
  /** The id of the cluster; absent if the server belongs to none. */
  cluster?: Uuid;
}
/** A client of Carillon: one connection for all calls, which may be made at the same time. */
export interface Client extends AppOperations<false> {
  /** Waits for the first connection: one round of the addresses. */
  connect(options?: CallOptions): Promise<void>;
  /** Absent before the first connection. */
  readonly server: ServerInfo | undefined;
  /**
   * The greatest position in the log of the cluster that was seen: at or after the entry of every change whose call has
   * succeeded.
   */
  readonly position: string | undefined;
  /**
   * Lets the calls that follow see what another client has seen: its `position`. A node that has not applied the log up
   * to the position waits for that for up to a second, and then answers `BEHIND`. A position of another cluster has no
   * effect while this client is connected.
   */
  readAfter(position: string): void;
  /** A round trip; its duration in milliseconds. */
  ping(options?: CallOptions): Promise<number>;
  /** The operations of one app; without a name of the option `app`. INVALID_ARGUMENT if there is none. */
  app(name?: string): App;
  /** Subscribes to events. The promise is fulfilled when the server has accepted the subscription. */
  events(request?: EventsRequest, options?: Omit<CallOptions, 'retry'>): Promise<EventStream>;
  /** The state of the server (§13.1). */
  statistics(request?: { readonly limit?: number }, options?: CallOptions): Promise<Statistics>;
  /** Ends the incarnation of a node of the cluster at once. One that lives joins again by itself. */
  removeNode(request: { readonly node: string }, options?: CallOptions): Promise<{ incarnation: number }>;
  /** Removes a name of event subscriptions with what it has acknowledged. */
  forgetSubscriber(request: { readonly name: string }, options?: CallOptions):
    Promise<{ result: 'forgotten' | 'no-such-name' | number }>;
  /** Accepts no more calls, finishes those that have begun, and closes the connections. */
  close(options?: { readonly drainTimeout?: number }): Promise<void>;
}
/** Makes clients. */
export declare const Client: {
  /** Makes a client that connects with its first call. INVALID_ARGUMENT if an option is wrong. */
  new (options: ClientOptions): Client;
  /** Makes a client and waits for its first connection; with the option `lazy` it does not wait. */
  connect(options: ClientOptions, callOptions?: CallOptions): Promise<Client>;
};
