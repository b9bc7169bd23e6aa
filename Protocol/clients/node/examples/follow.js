/** Follows the events of a message and reports a receipt: `follow.js TOKEN NAME`. */
import { Client, Notification, fromEnvironment } from 'carillon-client';
import process from 'node:process';
import './report.js';

const [token, name] = process.argv.slice(2);
const client = await Client.connect(fromEnvironment());
const app = client.app();
const stream = await client.events({ name, apps: [app.name], kinds: ['message-finished'] });
const { messageId } = await app.send({
  audience: { devices: [{ token }] },
  payload: new Notification({ body: 'Seen?' }),
  idKey: 'id', // the app finds the message's id in the payload and reports it
});
for await (const event of stream) {
  if (event.type !== 'event' || event.messageId !== messageId) continue;
  console.log(`message ${messageId} finished ${event.count}`);
  const { counted } = await app.reportReceipts({ receipts: [{ messageId, device: { token }, kind: 'opened' }] });
  console.log('opened', counted);
  stream.acknowledge(event);
  await stream.flush();
  console.log('acknowledged');
  break; // ends the stream
}
await client.close();
