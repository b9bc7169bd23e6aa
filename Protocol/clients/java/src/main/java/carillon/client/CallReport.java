package carillon.client;

import java.time.Duration;
import java.util.Optional;

/**
 * The end of a call (CONTRACT.md, OBS-1).
 *
 * @param operation the name of the operation in the protocol
 * @param address the address of the last attempt
 * @param duration from the beginning to the end
 * @param attempts how many requests were written
 * @param code why it failed; empty if it did not
 * @param effect whether it took effect
 */
public record CallReport(String operation, Optional<String> address, Duration duration, int attempts,
    Optional<Code> code, Effect effect) {
}
