package carillon.client;

/**
 * A topic and its size.
 *
 * @param topic the topic
 * @param devices how many devices it has
 */
public record TopicSummary(String topic, long devices) {
}
