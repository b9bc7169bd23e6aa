package carillon.client;

/**
 * The answer to a SEND or RESEND.
 *
 * @param messageId the id of the message; 0 for a dry run
 * @param duplicate true if a message with this key was accepted before: this is its answer again
 * @param total devices addressed
 * @param ended of these, how many had an outcome at once
 */
public record SendResult(long messageId, boolean duplicate, long total, long ended) {
}
