package carillon.client;

import java.util.List;
import java.util.OptionalLong;

/**
 * A page of messages, the newest first.
 *
 * @param next {@code before} of the next page; empty after the last page
 * @param messages the messages; there can be none although there are more pages
 */
public record MessagePage(OptionalLong next, List<MessageSummary> messages) {
}
