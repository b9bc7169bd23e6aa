/** Opens a connection and shows the server: `connect.js`. */
import { Client, fromEnvironment } from 'carillon-client';
import './report.js';

const client = await Client.connect(fromEnvironment());
console.log('server', client.server.software);
console.log('principal', client.server.principal);
await client.ping();
console.log('round trip ok');
await client.close();
