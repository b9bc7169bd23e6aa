/** Makes calls with a fixed number of them in flight, and prints how many. */
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Reads `[SECONDS [IN_FLIGHT]]`; ends the program if they are wrong.
 *
 * @param {string[]} words
 * @returns {{ seconds: number, inFlight: number }}
 */
export function options(words) {
  const [seconds, inFlight] = [Number(words[0] ?? 3), Number(words[1] ?? 512)];
  if (words.length > 2 || !(seconds > 0 && seconds <= 3600) || !Number.isSafeInteger(inFlight) || inFlight < 1) {
    console.error('the arguments are [SECONDS [IN_FLIGHT]]');
    process.exit(2);
  }
  return { seconds, inFlight };
}

/**
 * Prints `RESULT NAME.per_second VALUE`, and `per_cpu_second`: for a second of processor time of this process. The
 * measurement follows a round of the same time for the compiler.
 *
 * @param {string} name
 * @param {{ seconds: number, inFlight: number }} round
 * @param {() => Promise<any>} call
 */
export async function measure(name, round, call) {
  await show(name, () => repeat(round, call));
}

/**
 * The same for `perSecond` calls a second. They are made in groups of half as many calls as are in flight, as the
 * answers of a server come that writes changes to its disk: it writes one half while the other half waits.
 *
 * @param {string} name
 * @param {{ seconds: number, inFlight: number, perSecond: number }} round
 * @param {() => Promise<any>} call
 */
export async function measurePaced(name, round, call) {
  await show(name, () => repeatPaced(round, call));
}

async function show(name, work) {
  await work();
  const cpu = process.cpuUsage();
  const began = performance.now();
  const count = await work();
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  console.log(`RESULT ${name}.per_second ${Math.round(count / seconds)}`);
  console.log(`RESULT ${name}.per_cpu_second ${Math.round(count / ((user + system) / 1e6))}`);
}

async function repeat({ seconds, inFlight }, call) {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const worker = async () => {
    for (; performance.now() < end; count++) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return count;
}

async function repeatPaced({ seconds, inFlight, perSecond }, call) {
  const size = Math.ceil(inFlight / 2);
  let next = performance.now();
  const end = next + seconds * 1000;
  let count = 0;
  for (; performance.now() < end; count += size) {
    await Promise.all(Array.from({ length: size }, call));
    next += (size / perSecond) * 1000;
    const left = next - performance.now();
    if (left > 0) await pause(left);
  }
  return count;
}
