package carillon.client;

import java.util.List;
import java.util.Optional;

/**
 * A page of topics.
 *
 * @param next {@code after} of the next page; empty after the last page
 * @param topics the topics, ascending
 */
public record TopicPage(Optional<String> next, List<TopicSummary> topics) {
}
