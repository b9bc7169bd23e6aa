/** Looks a device up, then one that is unknown: `look_up.js TOKEN UNKNOWN`. */
import { CarillonError, Client, fromEnvironment } from 'carillon-client';
import process from 'node:process';
import './report.js';

const [token, unknown] = process.argv.slice(2);
const client = await Client.connect(fromEnvironment());
const app = client.app();
const { deviceId, state, locale, attributes } = await app.lookup({ device: { token } });
console.log(`device ${deviceId} ${state} ${locale} platform=${attributes.platform}`);
const { groups, topics } = await app.memberships({ device: { token } });
for (const { group } of groups) console.log('group', group);
for (const { topic, source } of topics) console.log('topic', topic, 'through', source);
try {
  await app.lookup({ device: { token: unknown } });
} catch (error) {
  if (!(error instanceof CarillonError)) throw error;
  console.log(error.code, error.effect, error.field);
}
await client.close();
