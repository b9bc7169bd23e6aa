package carillon.client;

import java.util.List;
import java.util.Optional;

/**
 * A page of the topics that a group is subscribed to.
 *
 * @param next {@code after} of the next page; empty after the last page
 * @param topics the topics, ascending
 */
public record GroupTopicPage(Optional<String> next, List<String> topics) {
}
