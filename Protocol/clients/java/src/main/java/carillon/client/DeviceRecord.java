package carillon.client;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A device, as LOOKUP and DEVICES show it.
 *
 * @param deviceId its id
 * @param environment its environment
 * @param kind what its token is for
 * @param token its token
 * @param registeredAt the server's time of the last registration
 * @param seenAt when the app has seen the token
 * @param state active or quarantined
 * @param locale its language tag
 * @param timeZone its time zone
 * @param attributes its attributes, ascending
 * @param muted true if the device itself is muted
 */
public record DeviceRecord(
    long deviceId, Environment environment, TokenKind kind, Token token, Instant registeredAt, Instant seenAt,
    DeviceState state, Optional<String> locale, Optional<String> timeZone, Map<String, String> attributes,
    boolean muted) {
}
