/** Runs calls with a fixed number of them in flight. */
import process from 'node:process';

const IN_FLIGHT = 512;

/**
 * Makes the calls and prints a RESULT line.
 *
 * @param {string} name
 * @param {number} count
 * @param {() => Promise<any>} call
 */
export async function measure(name, count, call) {
  await run(count / 10, call); // warms the compiler up
  const cpu = process.cpuUsage();
  const began = performance.now();
  await run(count, call);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const figures = { requests: count, in_flight: IN_FLIGHT, per_second: count / seconds,
    per_cpu_second: count / ((user + system) / 1e6) };
  console.log('RESULT', name, ...Object.entries(figures).map(([key, value]) => `${key} ${Math.round(value)}`));
}

async function run(count, call) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}
