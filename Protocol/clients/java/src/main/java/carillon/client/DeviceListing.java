package carillon.client;

import java.util.List;
import java.util.OptionalLong;

/**
 * A page of the devices of an app.
 *
 * @param next the cursor of the next page; empty = this was the last
 * @param devices the devices, ascending by id
 */
public record DeviceListing(OptionalLong next, List<DeviceInfo> devices) {
}
