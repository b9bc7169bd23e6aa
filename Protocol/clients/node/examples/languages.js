/** Sends to a topic in two languages, then counts all devices: `languages.js TOPIC`. */
import { Audience, Client, Notification, fromEnvironment } from 'carillon-client';
import process from 'node:process';
import './report.js';

const [topic] = process.argv.slice(2);
const client = await Client.connect(fromEnvironment());
const app = client.app();
const content = {
  payload: new Notification({ title: 'Raid', body: 'It begins' }),
  bodies: { de: { body: 'Es beginnt' } },
};
const { messageId, total } = await app.send({ audience: { topic }, ...content });
console.log(`message ${messageId} to ${total}`);
const { outcomes } = await app.waitUntilFinished({ messageId });
for (const { outcome, devices } of outcomes) console.log(outcome, devices);
const rehearsal = await app.send({ audience: Audience.allDevices(), ...content, dryRun: true });
console.log('all devices', rehearsal.total);
await client.close();
