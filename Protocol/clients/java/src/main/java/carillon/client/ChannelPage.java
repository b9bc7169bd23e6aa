package carillon.client;

import java.util.List;
import java.util.Optional;

/**
 * A page of broadcast channels.
 *
 * @param next {@code after} of the next page; empty after the last page
 * @param channels the ids of the channels, ascending
 */
public record ChannelPage(Optional<String> next, List<String> channels) {
}
