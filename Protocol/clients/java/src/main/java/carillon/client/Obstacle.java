package carillon.client;

import java.time.Instant;
import java.util.Optional;

/**
 * A pool of the app that cannot be used now, so that devices of its environment wait (§10.2).
 *
 * @param kind what is wrong
 * @param credential the credential
 * @param environment the environment
 * @param beganAt since when
 * @param nextAttemptAt when it is tried again; empty if that is not known, or happens now
 * @param cause a word for programs, such as {@code certificate-expired} (§13.1); empty if no attempt has failed
 * @param reason the last failure, for operators
 */
public record Obstacle(ObstacleKind kind, String credential, Environment environment, Optional<Instant> beganAt,
    Optional<Instant> nextAttemptAt, String cause, String reason) {
}
