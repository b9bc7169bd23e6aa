/** Makes calls with a fixed number of them in flight, and prints how many. */
import process from 'node:process';

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
  await repeat(round, call);
  const cpu = process.cpuUsage();
  const began = performance.now();
  const count = await repeat(round, call);
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
