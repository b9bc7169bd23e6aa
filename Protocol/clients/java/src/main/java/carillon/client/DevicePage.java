package carillon.client;

import java.util.List;
import java.util.OptionalLong;

/**
 * A page of device ids.
 *
 * @param next the cursor of the next page; empty = this was the last
 * @param devices ids, ascending
 */
public record DevicePage(OptionalLong next, List<Long> devices) {
}
