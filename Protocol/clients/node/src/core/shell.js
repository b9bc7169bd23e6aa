/**
 * The shell: the code around the dispatcher, which has the clock, timers and sockets. This is what the dispatcher asks
 * of it.
 *
 * @module
 *
 * @typedef {object} Shell
 * @property {() => number} now the monotonic clock, in milliseconds
 * @property {() => number} random
 * @property {() => void} wake `run` must be called soon
 * @property {(done: (key?: Uint8Array, error?: Error) => void) => void} readKey
 * @property {(connection: import('./connection.js').Connection) => void} connect
 * @property {(connection: import('./connection.js').Connection, isOrderly: boolean) => void} disconnect
 * @property {(hook: 'onCall'|'onRetry'|'onState', value: object) => void} report
 */
export {};
