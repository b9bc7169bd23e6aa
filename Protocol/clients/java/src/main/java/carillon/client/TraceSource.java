package carillon.client;

import java.util.Optional;

/**
 * What puts a device into the audience of a message.
 *
 * @param kind what it is
 * @param name the group, the topic or the term; else empty
 * @param through the group through which the device has the topic
 */
public record TraceSource(SourceKind kind, String name, Optional<String> through) {
}
