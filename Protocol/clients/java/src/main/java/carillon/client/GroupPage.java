package carillon.client;

import java.util.List;
import java.util.Optional;

/**
 * A page of groups.
 *
 * @param next {@code after} of the next page; empty = this was the last
 * @param groups the groups, ascending
 */
public record GroupPage(Optional<String> next, List<GroupInfo> groups) {
}
