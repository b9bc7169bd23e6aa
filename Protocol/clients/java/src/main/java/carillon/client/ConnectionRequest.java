package carillon.client;

import carillon.client.session.Slot;

/** A request on a connection: of a call or of a stream. */
abstract sealed class ConnectionRequest extends Slot permits Call, StreamRequest {
}
