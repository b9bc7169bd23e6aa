package carillon.client;

import java.util.List;
import java.util.Optional;

/**
 * A page of the topics that a group is subscribed to.
 *
 * @param next {@code after} of the next page; empty = this was the last
 * @param topics the topics, ascending
 */
public record GroupTopics(Optional<String> next, List<String> topics) {
}
