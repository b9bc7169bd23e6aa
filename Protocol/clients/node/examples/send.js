/** Sends an alert to one device and shows what became of it: `send.js TOKEN TEXT`. */
import { Client, Notification, fromEnvironment } from 'carillon-client';
import process from 'node:process';
import './report.js';

const [token, body] = process.argv.slice(2);
const client = await Client.connect(fromEnvironment());
const app = client.app();
const { messageId, total } = await app.send({
  audience: { devices: [{ token }] },
  payload: new Notification({ body }),
});
console.log(`message ${messageId} to ${total}`);
const { outcomes } = await app.waitUntilFinished({ messageId });
for (const { outcome, devices } of outcomes) console.log(outcome, devices);
await client.close();
