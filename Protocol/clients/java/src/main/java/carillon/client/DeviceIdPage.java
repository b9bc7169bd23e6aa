package carillon.client;

import java.util.List;
import java.util.OptionalLong;

/**
 * A page of device ids.
 *
 * @param next the cursor of the next page; empty after the last page
 * @param devices ids, ascending
 */
public record DeviceIdPage(OptionalLong next, List<Long> devices) {
}
