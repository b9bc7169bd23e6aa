package carillon.client;

/**
 * What an app has reported about a push.
 *
 * @param messageId the message
 * @param device the device
 * @param kind what happened
 */
public record Receipt(long messageId, DeviceReference device, ReceiptKind kind) {
}
