/** Schedules a message and cancels it: `schedule.js TOKEN`. */
import { Client, Notification, fromEnvironment } from 'carillon-client';
import process from 'node:process';
import './report.js';

const HOUR = 3_600_000;
const [token] = process.argv.slice(2);
const client = await Client.connect(fromEnvironment());
const app = client.app();
const { messageId } = await app.send({
  audience: { devices: [{ token }] },
  payload: new Notification({ body: 'Later' }),
  sendAt: new Date(Date.now() + HOUR),
  label: 'later',
});
const { state } = await app.messageStatus({ messageId });
console.log(`message ${messageId} ${state}`);
await app.updateMessage({ messageId, action: 'cancel' });
const finished = await app.waitUntilFinished({ messageId });
console.log(finished.state);
for (const { outcome, devices } of finished.outcomes) console.log(outcome, devices);
await client.close();
