/**
 * Sends COUNT messages at once while servers go and come: `send_many.js LABEL PREFIX COUNT`, for run_losses.py, which
 * says what is printed.
 */
import process from 'node:process';
import { CarillonError, Client, Notification, fromEnvironment } from '../../src/index.js';

const [label, prefix, count] = process.argv.slice(2);
const client = await Client.connect({
  ...fromEnvironment(), requestTimeout: 60_000,
  // It bounds what the server has accepted before the first answers are read.
  maximumInFlight: 16,
  onState: ({ state, address }) => state === 'connected' && console.log('connected', address),
});
const app = client.app();
await Promise.all(Array.from({ length: Number(count) }, async (_, index) => {
  const token = prefix + index.toString(16).padStart(8, '0');
  try {
    const { messageId } = await app.send({ audience: { devices: [{ token }] }, label: `${label} ${index}`,
      payload: new Notification({ body: 'Hello' }) });
    console.log('sent', index, String(messageId));
  } catch (error) {
    if (!(error instanceof CarillonError)) throw error;
    console.log('failed', index, error.code, error.effect);
  }
}));
await client.close();
