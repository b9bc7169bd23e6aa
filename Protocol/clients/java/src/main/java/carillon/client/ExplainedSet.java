package carillon.client;

/**
 * A set that a condition names.
 *
 * @param set the set, as a condition of its own
 * @param devices how many devices it has
 */
public record ExplainedSet(String set, long devices) {
}
