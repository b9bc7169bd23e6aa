package carillon.client;

import java.util.List;
import java.util.Optional;

/**
 * A page of groups.
 *
 * @param next {@code after} of the next page; empty after the last page
 * @param groups the groups, ascending
 */
public record GroupPage(Optional<String> next, List<GroupSummary> groups) {
}
