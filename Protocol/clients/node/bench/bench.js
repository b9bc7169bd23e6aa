/**
 * Pipelines LOOKUPs and SENDs on one connection: `bench.js [COUNT]`, with the environment variables of `fromEnvironment`.
 *
 * Prints a line `RESULT NAME requests N in_flight N per_second N per_cpu_second N` for each; the CPU time is that of this
 * process.
 */
import process from 'node:process';
import { Client, Notification, fromEnvironment } from 'carillon-client';
import { measure } from './measure.js';

const [count = '200000'] = process.argv.slice(2);
const client = await Client.connect(fromEnvironment());
const app = client.app();
const token = 'ab'.repeat(32);
const { deviceId } = await app.register({ token, locale: 'de-AT', attributes: { platform: 'ios' } });
const lookup = { app: app.name, device: { id: deviceId } };
await measure('lookup', Number(count), () => client.lookup(lookup));
const payload = new Notification({ title: 'Raid', body: 'It begins' }).payload();
const send = { app: app.name, audience: { devices: [{ id: deviceId }] }, payload };
await measure('send', Number(count) / 10, () => client.send(send));
await client.close();
