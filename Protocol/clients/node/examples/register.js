/** Registers a device: `register.js TOKEN`. */
import { Client, fromEnvironment } from 'carillon-client';
import process from 'node:process';
import './report.js';

const [token] = process.argv.slice(2);
const client = await Client.connect(fromEnvironment());
const { deviceId, result } = await client.app().register({
  token,
  environment: 'production',
  locale: 'de-AT',
  attributes: { platform: 'ios' },
  seenAt: new Date(), // with a time the client may repeat the request
});
console.log(`device ${deviceId} ${result}`);
await client.close();
