/** A device joins a group, and the group is subscribed to a topic: `subscribe.js TOKEN GROUP TOPIC`. */
import { Client, fromEnvironment } from 'carillon-client';
import process from 'node:process';
import './report.js';

const [token, group, topic] = process.argv.slice(2);
const client = await Client.connect(fromEnvironment());
const app = client.app();
const { joined } = await app.join({ group, devices: [{ token }] });
console.log('joined', joined);
const { changed } = await app.subscribe({ topics: [topic], groups: [group] });
console.log('changed', changed);
await client.close();
