/**
 * Measures how many LOOKUPs and SENDs the client makes on one connection: `benchmark.js [SECONDS [IN_FLIGHT]]`.
 *
 * The environment names the server, the app and the key, as for the examples. `measure.js` says what is printed.
 */
import { Client, fromEnvironment } from 'carillon-client';
import process from 'node:process';
import { measure, options } from './measure.js';

const round = options(process.argv.slice(2));
const client = await Client.connect(fromEnvironment());
const app = client.app();
const { deviceId } = await app.register({ token: '00'.repeat(32), seenAt: new Date() });
const lookup = { device: { id: deviceId } };
await measure('node.lookup', round, () => app.lookup(lookup));
const send = { audience: { devices: [{ id: deviceId }] }, payload: '{"aps":{"alert":"Hello"}}', lane: 'bulk' };
await measure('node.send', round, () => app.send(send));
await client.close();
