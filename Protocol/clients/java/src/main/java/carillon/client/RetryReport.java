package carillon.client;

import java.time.Duration;

/**
 * A call that will be repeated (CONTRACT.md, OBS-2).
 *
 * @param operation the name of the protocol
 * @param attempt the number of the attempt that failed, from 1
 * @param pause before the next attempt; 0 if it is made as soon as there is a connection
 * @param error why the attempt failed
 */
public record RetryReport(String operation, int attempt, Duration pause, CarillonException error) {
}
