/** Pipelined GETs with Debian's node-redis, for comparison: `NODE_PATH=/usr/share/nodejs redis.js PORT [COUNT]`. */
import { createRequire } from 'node:module';
import process from 'node:process';
import { measure } from './measure.js';

const [port, count = '200000'] = process.argv.slice(2);
const { createClient } = createRequire(import.meta.url)('redis');
const client = createClient({ socket: { host: '127.0.0.1', port: Number(port) } });
await client.connect();
await client.set('key', 'x'.repeat(100));
await measure('redis_get', Number(count), () => client.get('key'));
await client.quit();
