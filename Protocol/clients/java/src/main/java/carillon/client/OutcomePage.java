package carillon.client;

import java.util.List;
import java.util.OptionalLong;

/**
 * A page of the recipients of a message.
 *
 * @param next the cursor of the next page; empty after the last page
 * @param recipients the recipients, ascending by id
 */
public record OutcomePage(OptionalLong next, List<RecipientOutcome> recipients) {
}
