package carillon.client;

import java.util.List;

/**
 * The answer to RECEIPTS.
 *
 * @param counted receipts that are new
 * @param unknown indices of receipts without such a message or recipient
 */
public record ReceiptResult(long counted, List<Integer> unknown) {
}
