package carillon.client;

import java.util.List;
import java.util.OptionalLong;

/**
 * A page of the recipients of a message.
 *
 * @param next the cursor of the next page; empty = this was the last
 * @param recipients the recipients, ascending by id
 */
public record OutcomePage(OptionalLong next, List<Recipient> recipients) {
}
