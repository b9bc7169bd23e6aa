/**
 * The client of Carillon for Node.js. `README.md` shows how to use it, `index.d.ts` describes everything public.
 *
 * @module
 */
export { Client } from './client.js';
export { fromEnvironment } from './environment.js';
export { CarillonError } from './errors.js';
export { EventStream } from './events.js';
export { App } from './operations.js';
export { VERSION } from './options.js';
export { Notification } from './payload/notification.js';
export { Audience, browserToken } from './plans.js';

/** For `notAfter` of `resend`: the new message has no limit of time, whatever the old one had. */
export const NO_LIMIT = 2n ** 64n - 1n;
