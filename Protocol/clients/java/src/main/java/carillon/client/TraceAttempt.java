package carillon.client;

import java.time.Instant;

/**
 * A delivery that was tried.
 *
 * @param at when the answer came
 * @param connection the number of the connection to the provider; 0 if the push was not written
 * @param status the HTTP status; 0 if there was no answer
 * @param reason the reason, for operators
 */
public record TraceAttempt(Instant at, long connection, int status, String reason) {
}
