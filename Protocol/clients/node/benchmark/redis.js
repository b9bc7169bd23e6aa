/**
 * The same with GETs of 100 bytes and Debian's node-redis, for comparison:
 * `NODE_PATH=/usr/share/nodejs redis.js PORT [SECONDS [IN_FLIGHT]]`.
 */
import { createRequire } from 'node:module';
import process from 'node:process';
import { measure, options } from './measure.js';

const [port, ...words] = process.argv.slice(2);
const round = options(words);
const { createClient } = createRequire(import.meta.url)('redis');
const client = createClient({ socket: { host: '127.0.0.1', port: Number(port) } });
await client.connect();
await client.set('key', 'x'.repeat(100));
await measure('node-redis.get', round, () => client.get('key'));
await client.quit();
