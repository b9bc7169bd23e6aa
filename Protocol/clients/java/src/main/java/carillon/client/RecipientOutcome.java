package carillon.client;

/**
 * A device of a message and its outcome.
 *
 * @param deviceId its id; 0 for a token that was not registered
 * @param outcome how the delivery ended
 */
public record RecipientOutcome(long deviceId, Outcome outcome) {
}
