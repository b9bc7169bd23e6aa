/**
 * Measures how many LOOKUPs and SENDs the client makes on one connection: `benchmark.js [SECONDS [IN_FLIGHT]]`.
 *
 * `send` are messages of one content, each to one of 100 devices; those of `send_new` have a content of their own.
 * `mixed` are lookups and sends in turn. The environment names the server, the app and the key, as for the examples.
 * `measure.js` says what is printed.
 */
import { Audience, Client, Notification, fromEnvironment } from 'carillon-client';
import process from 'node:process';
import { measure, options } from './measure.js';

const round = options(process.argv.slice(2));
const client = await Client.connect(fromEnvironment());
const app = client.app();
const tokens = Array.from({ length: 100 }, (_, index) => index.toString(16).padStart(64, '0'));
const devices = await Promise.all(tokens.map((token) => app.register({ token, seenAt: new Date() })));
let sent = 0;
let isSend = false;
const send = (payload) => {
  const { deviceId } = devices[sent++ % devices.length];
  return app.send({ audience: Audience.devices([{ id: deviceId }]), payload, lane: 'bulk' });
};
const content = new Notification({ body: 'Hello' });
const lookup = { device: { id: devices[0].deviceId } };
await measure('node.lookup', round, () => app.lookup(lookup));
await measure('node.send', round, () => send(content));
await measure('node.mixed', round, () => {
  isSend = !isSend;
  return isSend ? send(content) : app.lookup(lookup);
});
await measure('node.send_new', round, () => send(new Notification({ body: `Hello ${sent}` })));
await client.close();
