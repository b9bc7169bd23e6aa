package carillon.client;

import java.util.List;
import java.util.OptionalLong;

/**
 * A page of the devices of an app.
 *
 * @param next the cursor of the next page; empty after the last page
 * @param devices the devices, ascending by id
 */
public record DevicePage(OptionalLong next, List<DeviceRecord> devices) {
}
